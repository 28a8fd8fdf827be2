"""What C passes, of Python's values."""

import ctypes

Handle = ctypes.c_void_p
UInt = ctypes.c_uint32


def texts(*values):
    """An array of texts."""
    return (ctypes.c_char_p * len(values))(*(str(value).encode() for value in values))


def handles(*values):
    """An array of handles."""
    return (Handle * len(values))(*values)


def uints(*values):
    """An array of unsigned integers."""
    return (UInt * len(values))(*values)


def ints(*values):
    """An array of integers."""
    return (ctypes.c_int * len(values))(*values)


def address(values):
    """Where the numbers of a NumPy array are."""
    return values.ctypes.data_as(Handle)


def out(kind=Handle):
    """Somewhere to write a value of this kind; `ref` is its address."""
    value = kind()
    return value, ctypes.byref(value)


def created(call, name, *arguments):
    """The handle that a function writes to its last argument."""
    handle, where = out()
    call(name, *arguments, where)
    return handle
