"""Manufacturing equipment at 100 Hz, as in the DEBS 2012 Grand Challenge, on which the Cutty paper measures.

Synthetic unless a file is given: calibrated to what was measured on a sample of the real data, with assumptions that
`generator` lists. The paper has about 33,000,000 records (3.8 days), three energy measures whose average is aggregated,
and 54 binary states whose transitions open sessions. Times are in order; of a file, a record whose time is before an
earlier one is bad.

A real file is the challenge's text (tab-separated, no header, 66 columns or 56 in a common cleaned form) or Parquet
with the columns of `layout`.
"""
