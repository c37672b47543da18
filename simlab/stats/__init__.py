"""Statistics a designer can trust: every estimate with its interval, and the kind of interval.

Pure functions of numbers and arrays; nothing here knows a game or a file. In all modules:

    level            probability, in (0, 1), that an interval covers the true value
    values, counts   a histogram: the numbers, shape (k,), and the games with each; counts need not be whole
    low, high        ends of an interval, infinite where open; arrays of ends have the shape (..., 2)
    family           intervals or tests that are judged together
    ValueError       for counts that contradict each other, shapes that differ, and a level outside (0, 1)
"""
