"""
What schemathesis leaves out of a short run: it puts every wrong type into every place in turn, and asks every path
with every method that it does not have. Here each place and path has one of these, and every fifth of the others,
whichever they are: which place, type and method come together is left to `npm run fuzz`.
"""

import itertools

import schemathesis

REPEATED = ("incorrect_type", "unspecified_http_method")
EVERY = 5

seen = set()
others = itertools.count()


@schemathesis.hook
def filter_case(context, case):
    told = case.meta.phase.data if case.meta else None
    scenario = getattr(told, "scenario", None)
    if scenario not in REPEATED:
        return True
    place = (case.operation.label, scenario, told.parameter_location, told.parameter, told.location)
    if place not in seen:
        seen.add(place)
        return True
    return next(others) % EVERY == 0
