"""Documents that configure: a table of fields for each, from which come its reading, messages with places, and JSON schema."""
