"""Reading files of records: columns as text or typed arrays, parsed whole, every bad record with its place."""
