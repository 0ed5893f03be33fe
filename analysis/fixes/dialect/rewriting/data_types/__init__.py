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
| `reserved_fields` | fields named by keywords |
| `shown_records` | texts of records as their languages show them |
| `class_families` | classes that hold values of their own kind, as an enum |
| `class_trees`, `class_tests` | classes that inherit as one record; questions of which class a value is |
| `constructors`, `own_names` | constructors that do more than set fields; members that methods name alone |
| `enum_members` | enums whose variants have values and methods |
| `smart_casts` | contents of values that a test has shown to be of a variant |
| `type_constants` | constants of types |
| `variants` | variants with a small letter |
"""
