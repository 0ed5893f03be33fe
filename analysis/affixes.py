"""What two texts begin and end with, found by halving: comparing pieces is done by the machine, not character by character."""

from __future__ import annotations


def common_prefix(left: str, right: str) -> int:
    """How many characters two texts have in common at their beginnings."""
    low, high = 0, min(len(left), len(right))
    if left[:high] == right[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle
    return low


def common_suffix(left: str, right: str) -> int:
    """How many they have in common at their ends."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[len(left) - middle : len(left) - low] == right[len(right) - middle : len(right) - low]:
            low = middle
        else:
            high = middle - 1
    return low
