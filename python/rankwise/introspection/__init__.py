"""What a running mpi4py program has sent so far, asked by itself: docs/reference/introspection.md.

The functions of MPI_Monitoring.h for Python. They are exported by `rankwise`, which loads this package when
the first of them is asked for.
"""

from rankwise.introspection.communicators import SoFar as SoFar
from rankwise.introspection.communicators import so_far as so_far
from rankwise.introspection.errors import IntrospectionError as IntrospectionError
from rankwise.introspection.errors import NotAllVisible as NotAllVisible
from rankwise.introspection.library import preload as preload
from rankwise.introspection.reordering import Forecast as Forecast
from rankwise.introspection.reordering import redistribute as redistribute
from rankwise.introspection.sessions import Session as Session
from rankwise.introspection.sessions import session as session
