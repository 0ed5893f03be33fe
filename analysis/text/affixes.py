"""The common prefix and suffix of two texts, found by halving: slices are compared in C, not character by character."""

from __future__ import annotations


def common_prefix(left: str, right: str) -> int:
    """The length of the common prefix of two texts."""
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


def differing(left: str, right: str) -> int:
    """The characters of the longer text that are neither in the common prefix nor in the common suffix."""
    shorter, longer = sorted((len(left), len(right)))
    prefix = common_prefix(left, right)
    return longer - prefix - min(common_suffix(left, right), shorter - prefix)


def common_suffix(left: str, right: str) -> int:
    """The length of the common suffix of two texts."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[len(left) - middle : len(left) - low] == right[len(right) - middle : len(right) - low]:
            low = middle
        else:
            high = middle - 1
    return low
