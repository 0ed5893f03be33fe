"""Functions in `.ax` that round as other languages do: halves to the even neighbour, or up.

Whether a number is a half is decided by what it is, not by its product with a power of ten: 8.345 is more than it says, and
its product is a half. `lost` is what the product lost, after Dekker.
"""

from __future__ import annotations

from typing import Final

ROUNDING: Final = """
fn scaled_even(number: Float, scale: Int) -> Int {
    let product = number * scale
    let below = float_floor(product)
    let part = product - below
    let wide = 134217729.0 * number
    let high = wide - (wide - number)
    let lost = high * scale - product + (number - high) * scale
    let is_half = part == 0.5
    if part > 0.5 || (is_half && (lost > 0.0 || (lost == 0.0 && below % 2 != 0))) { below + 1 } else { below }
}

fn round_even(number: Float) -> Int {
    scaled_even(number, 1)
}

fn round_whole(number: Float) -> Float {
    scaled_even(number, 1) * 1.0
}

fn round_to_even(number: Float, digits: Int) -> Float {
    if digits < 0 {
        let whole = int_pow(10, -digits)
        return scaled_even(number / whole, 1) * 1.0 * whole
    }
    let scale = int_pow(10, digits)
    scaled_even(number, scale) * 1.0 / scale
}

fn round_product(number: Float, digits: Int) -> Float {
    let scale = int_pow(10, digits)
    round_whole(number * scale) / scale
}

fn round_half_up(number: Float) -> Int {
    float_floor(number + 0.5)
}

fn scaled_up(number: Float, scale: Int) -> Int {
    let product = number * scale
    let below = float_floor(product)
    let part = product - below
    let wide = 134217729.0 * number
    let high = wide - (wide - number)
    let lost = high * scale - product + (number - high) * scale
    if part > 0.5 || (part == 0.5 && lost >= 0.0) { below + 1 } else { below }
}

fn format_even(number: Float, decimals: Int) -> String {
    with_point(number, scaled_even(float_abs(number), int_pow(10, decimals)), decimals)
}

fn format_up(number: Float, decimals: Int) -> String {
    with_point(number, scaled_up(float_abs(number), int_pow(10, decimals)), decimals)
}

fn format_near(number: Float, decimals: Int) -> String {
    with_point(number, float_floor(float_abs(number) * int_pow(10, decimals) + 0.500000001), decimals)
}

fn with_point(number: Float, scaled: Int, decimals: Int) -> String {
    let scale = int_pow(10, decimals)
    let whole = (if number < 0.0 { "-" } else { "" }) ++ __builtin_int_to_string(scaled / scale)
    if decimals < 1 { return whole }
    whole ++ "." ++ string_pad_left(__builtin_int_to_string(scaled % scale), decimals, "0")
}
"""
