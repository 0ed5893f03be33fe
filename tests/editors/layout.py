"""A program as editors should indent it."""

LAYOUT = """type Item {
    name: String,
    count: Int,
}

fn low(items: List<Item>) -> Int {
    // note: {
    let mut found = 0
    for item in items {
        if item.count < 3 {
            found = found + __builtin_list_len([
                1,
            ])
        }
    }
    let text = "text { ("
    match true {
        true => found,
        _ => 0,
    }
}
"""
