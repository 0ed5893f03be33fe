"""Types that a program declares: classes, records, enums and their variants.

| module | rewrites |
| --- | --- |
| `accessors` | fields as functions of records: called |
| `enum_values` | `rawValue`, `ordinal`, `allCases` of plain enums |
| `families` | interfaces with their classes as an enum |
| `field_accessors` | the same, named by their record |
| `generic_records` | records for values of any type that are made of one |
| `large_matches` | matches whose arms would be written too often, in parts |
| `open_objects` | objects of JavaScript, dicts of Python: objects that begin empty |
| `own_types` | enums that repeat built-in types |
| `smart_casts` | contents of values that a test has shown to be of a variant |
| `variants` | variants with a small letter |
"""
