"""Which hosts a program may reach: the policy's list and the owner's, then public addresses only (spec chapter 11 section 9)."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence

from boruna_ls.runtime.gateway import HandlerFailure


def is_listed(host: str, domains: Sequence[str]) -> bool:
    """Whether a list names a host: itself, or `*.d` for d and everything below it."""
    host = host.lower().rstrip(".")
    for domain in domains:
        wanted = domain.lower().rstrip(".")
        if wanted.startswith("*."):
            if host == wanted[2:] or host.endswith(wanted[1:]):
                return True
        elif host == wanted:
            return True
    return False


def address_for(host: str, port: int, domains: Sequence[str], ceiling: Sequence[str] | None) -> str:
    """The checked address to connect to, so that a second look-up cannot lead elsewhere. Raises HandlerFailure.

    `domains` are the policy's, any host if empty; `ceiling` the owner's, None if the owner wrote the policy.
    """
    check_listed(host, domains, ceiling)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise HandlerFailure(f"cannot resolve '{host}': {error}") from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    for address in addresses:
        if not is_public(address) and not _may_be_private(
            host, address, domains if ceiling is None else ceiling, ceiling is None
        ):
            advice = "" if ceiling is None else f"; a ceiling that means it lists '{address}', too"
            raise HandlerFailure(
                f"blocked address '{address}' of '{host}': private and reserved addresses are not allowed{advice}"
            )
    if not addresses:
        raise HandlerFailure(f"cannot resolve '{host}'")
    return addresses[0]


def check_listed(host: str, domains: Sequence[str], ceiling: Sequence[str] | None) -> None:
    """Raises HandlerFailure for a host that the policy or the ceiling does not list."""
    if domains and not is_listed(host, domains):
        raise HandlerFailure(f"domain '{host}' not in allowlist: [{', '.join(domains)}]")
    if ceiling is not None and not is_listed(host, ceiling):
        raise HandlerFailure(f"domain '{host}' is not allowed by the owner: [{', '.join(ceiling)}]")


def _may_be_private(host: str, address: str, listed: Sequence[str], by_name: bool) -> bool:
    """A private address must be meant: by the name of the host in a policy that the owner wrote, by itself in a ceiling.

    A host that was allowed by its name, in answer to a question perhaps, may lead to this machine tomorrow.
    """
    name = host.lower().rstrip(".")
    known = {entry.lower().rstrip(".") for entry in listed}
    return name in known if by_name else address in known or (name == "localhost" and name in known)


def is_public(address: str) -> bool:
    """Whether an address leads out of the machine and of the networks around it."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        # Addresses that carry an IPv4 one lead to that one.
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        if inner is None and parsed in _NAT64:
            inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if inner is not None:
            return inner.is_global and not inner.is_multicast
    return parsed.is_global and not parsed.is_multicast


_NAT64 = ipaddress.ip_network("64:ff9b::/96")
