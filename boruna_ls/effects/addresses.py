"""Hosts that a program may reach: the policy's list and the owner's, then public addresses only (spec chapter 11 section 9)."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Sequence
from typing import Final

from boruna_ls.runtime.gateway import HandlerFailure


def is_listed(host: str, domains: Sequence[str]) -> bool:
    """True if a list contains a host: itself, or `*.d` for d and everything below it."""
    host = ascii_name(host)
    for domain in domains:
        wanted = ascii_name(domain)
        if wanted.startswith("*."):
            if host == wanted[2:] or host.endswith(wanted[1:]):
                return True
        elif host == wanted:
            return True
    return False


def ascii_name(host: str) -> str:
    """A host as it is looked up: in lower case, letters outside of ASCII encoded (`xn--…`).

    So a person who is asked sees whether a letter is what it looks like. What cannot be encoded is returned as it is.
    """
    with contextlib.suppress(UnicodeError):
        host = host.encode("idna").decode("ascii")
    return host.lower().rstrip(".")


def address_for(host: str, port: int, domains: Sequence[str], ceiling: Sequence[str] | None) -> str:
    """The checked address to connect to, so that a second look-up cannot lead elsewhere. Raises HandlerFailure.

    `domains` are the policy's, any host if empty; `ceiling` the owner's, None if the owner wrote the policy.
    """
    check_listed(host, domains, ceiling)
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise HandlerFailure(f"cannot resolve '{host}': {error}") from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in answers))
    for address in addresses:
        if not is_public(address) and not _may_be_private(
            host, address, domains if ceiling is None else ceiling, ceiling is None
        ):
            advice = "" if ceiling is None else f"; to allow it, the ceiling must also list '{address}'"
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
    name = ascii_name(host)
    names = {ascii_name(entry) for entry in listed}
    return name in names if by_name else address in names or (name == "localhost" and name in names)


def is_public(address: str) -> bool:
    """True if an address is global unicast: it leads out of the machine and of the networks around it.

    An address that is not known to be public is not public. An IPv6 address that carries an IPv4 one leads to that one.
    """
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv4Address):
        return _is_public_v4(parsed)
    if parsed in _NAT64:
        return _is_public_v4(ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF))
    if parsed not in _GLOBAL_UNICAST or any(parsed in network for network in _TUNNELS):
        return False
    return parsed.is_global and not parsed.is_multicast and not parsed.is_reserved


def _is_public_v4(address: ipaddress.IPv4Address) -> bool:
    is_special = address.is_multicast or address.is_reserved or any(address in network for network in _SPECIAL_V4)
    return address.is_global and not is_special


_GLOBAL_UNICAST: Final = ipaddress.ip_network("2000::/3")
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_TUNNELS: Final = tuple(map(ipaddress.ip_network, ("2001::/23", "2002::/16", "3fff::/20", "2001:db8::/32")))
"""Addresses for tunnels (Teredo, 6to4), whose far end is not what they say, for protocols and for documentation."""
_SPECIAL_V4: Final = tuple(map(ipaddress.ip_network, ("192.88.99.0/24", "192.0.0.0/24", "198.18.0.0/15", "100.64.0.0/10")))
"""The relays of 6to4, protocols, benchmarks, the networks of providers."""
