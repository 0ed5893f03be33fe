"""Addresses to which a program may connect without being allowed to by name: the public network, and no others."""

from __future__ import annotations

import pytest

from boruna_ls.effects.addresses import is_public

PRIVATE = (
    *("fec0::1", "feff::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "::", "::1", "::7f00:1", "::10.0.0.1"),
    *("64:ff9b:1::1", "64:ff9b:1:ffff::a00:1", "64:ff9b::a00:1", "64:ff9b::7f00:1", "::ffff:0:10.0.0.1", "::ffff:0:127.0.0.1"),
    *("::ffff:10.0.0.1", "::ffff:127.0.0.1", "2002:7f00:1::", "2002:a00:1::1", "2001:0:4136:e378:8000:63bf:f5ff:fffe"),
    *("2001:db8::1", "3fff::1", "100::1", "5f00::1", "2001:20::1", "ff02::1", "ff0e::1", "4000::1", "8000::1"),
    *("0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "192.0.0.8", "192.0.2.1", "192.168.1.1"),
    *("192.88.99.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
)


@pytest.mark.parametrize("address", PRIVATE)
def test_what_is_not_global_unicast_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "1.1.1.1", "2606:2800:220:1::1", "2a00:1450::1", "64:ff9b::5db8:d822"])
def test_what_is_public_stays_so(address: str) -> None:
    assert is_public(address)
