# SPDX-License-Identifier: BSD-3-Clause
"""hybmon.h for Python: a program says where its regions begin and end, what is to be known of them, and values of counters.

    import hybmon

    @hybmon.region                      # each call is a region called solve
    def solve(n):
        hybmon.parameter("unknowns", n)
        with hybmon.region("assemble", cells=n * n):
            ...

    @hybmon.region("V-cycle", role="phase")
    def cycle(): ...

    residual = hybmon.counter("residual", mode="sample")
    residual(1e-3)

This is one file, which needs no compiler and no other module. Where libhybmon.so is neither preloaded nor linked, all of
this does nothing. Regions are of the thread that enters them, and are left in the reverse order. A decorated generator
or coroutine is in its region while it runs, not while it waits.
"""
import ctypes
import functools
import inspect
import sys
import types

__all__ = ["counter", "is_recording", "parameter", "pause", "region", "resume", "version"]

_ROLES = {"function": 0, "phase": 1, "iteration": 2, "loop": 3}
_MODES = {"sum": 0, "level": 1, "sample": 2}
_TYPES = {int: 1, float: 2}


class _Handle(ctypes.Structure):
    """struct hybmon_region, or hybmon_counter: what is in it is the library's."""


def _load():
    # What the process itself has by these names. Without giving up the interpreter's lock: it takes nanoseconds.
    library = ctypes.PyDLL(None)
    try:
        begin = library.hybmon_region_begin
    except AttributeError:
        return None
    text, handle = ctypes.c_char_p, ctypes.POINTER(_Handle)
    for name, result, arguments in (
            ("hybmon_region_named", handle, [text, text, ctypes.c_uint, ctypes.c_uint]),
            ("hybmon_region_begin", None, [handle]),
            ("hybmon_region_end", None, [handle]),
            ("hybmon_parameter_int", None, [text, ctypes.c_int64]),
            ("hybmon_parameter_uint", None, [text, ctypes.c_uint64]),
            ("hybmon_parameter_double", None, [text, ctypes.c_double]),
            ("hybmon_parameter_string", None, [text, text]),
            ("hybmon_counter_named", handle, [text, text, ctypes.c_uint, ctypes.c_uint]),
            ("hybmon_counter_int", None, [handle, ctypes.c_int64]),
            ("hybmon_counter_double", None, [handle, ctypes.c_double]),
            ("hybmon_pause", None, []),
            ("hybmon_resume", None, []),
            ("hybmon_is_recording", ctypes.c_int, []),
            ("hybmon_version", text, [])):
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library if begin else None


_library = _load()


def _bytes(text):
    # A zero would end it.
    return str(text).encode("utf-8", "replace").replace(b"\0", b"?")


def pause():
    """Stops recording in this process."""
    if _library:
        _library.hybmon_pause()


def resume():
    """Takes recording up again."""
    if _library:
        _library.hybmon_resume()


def is_recording():
    """Whether anything is being recorded at this moment."""
    return bool(_library and _library.hybmon_is_recording())


def version():
    """The library's version; None: it is not there."""
    return _library.hybmon_version().decode() if _library else None


def parameter(name, value):
    """Something that is to be known of the innermost region: whole numbers, others, and everything else as text."""
    if not _library:
        return
    # numpy's numbers, too
    if hasattr(value, "__index__"):
        value = value.__index__()
        if -(1 << 63) <= value < 1 << 63:
            _library.hybmon_parameter_int(_bytes(name), value)
            return
        if 0 <= value < 1 << 64:
            _library.hybmon_parameter_uint(_bytes(name), value)
            return
    elif hasattr(value, "__float__"):
        _library.hybmon_parameter_double(_bytes(name), float(value))
        return
    _library.hybmon_parameter_string(_bytes(name), _bytes(value))


class region:
    """A region: a decorator of functions, or a context manager; parameters are said each time that it begins."""

    def __init__(self, name=None, *, role="function", file=None, line=None, **parameters):
        if role not in _ROLES:
            raise ValueError(f"role={role!r}: it is one of {', '.join(_ROLES)}")
        self._role = _ROLES[role]
        self._parameters = parameters
        self._handle = None
        self._wrapped = None
        if callable(name):  # @hybmon.region, without brackets
            self._take(name, None, file, line)
            self._wrapped = self._wrap(name)
            functools.update_wrapper(self, name)
            return
        if file is None and _library:
            frame = sys._getframe(1)
            file, line = frame.f_code.co_filename, frame.f_lineno
        self._name, self._file, self._line = name, file, line

    def _take(self, function, name, file, line):
        code = getattr(function, "__code__", None)
        self._name = name or getattr(function, "__qualname__", repr(function))
        self._file = file or (code.co_filename if code else None)
        self._line = line or (code.co_firstlineno if code else 0)

    def _begin(self):
        if not self._handle:
            self._handle = _library.hybmon_region_named(_bytes(self._name or "region"),
                                                        _bytes(self._file or ""), self._line or 0, self._role)
        _library.hybmon_region_begin(self._handle)
        for name, value in self._parameters.items():
            parameter(name, value)

    def __enter__(self):
        if _library:
            self._begin()
        return self

    def __exit__(self, *reason):
        if _library:
            _library.hybmon_region_end(self._handle)
        return False

    def _wrap(self, function):
        if not _library:
            return function
        if inspect.isasyncgenfunction(function):
            return function
        if inspect.iscoroutinefunction(function):
            run = types.coroutine(self._steps(function))

            @functools.wraps(function)
            async def coroutine(*arguments, **named):
                return await run(*arguments, **named)
            return coroutine
        if inspect.isgeneratorfunction(function):
            return functools.wraps(function)(self._steps(function))

        @functools.wraps(function)
        def call(*arguments, **named):
            self._begin()
            try:
                return function(*arguments, **named)
            finally:
                _library.hybmon_region_end(self._handle)
        return call

    def _steps(self, function):
        """A generator that does what the one of that function, or its coroutine, does: each part of it is the region."""
        def run(*arguments, **named):
            inner = function(*arguments, **named)
            step, value = inner.send, None
            while True:
                try:
                    with self:
                        told = step(value)
                except StopIteration as stop:
                    return stop.value
                try:
                    step, value = inner.send, (yield told)
                except GeneratorExit:
                    inner.close()
                    raise
                except BaseException as error:
                    step, value = inner.throw, error
        return run

    def __call__(self, *arguments, **named):
        if self._wrapped:
            return self._wrapped(*arguments, **named)
        if len(arguments) != 1 or named or not callable(arguments[0]):
            raise TypeError("hybmon.region: decorates one function")
        function = arguments[0]
        self._take(function, self._name, None, None)
        return self._wrap(function)

    def __get__(self, instance, owner=None):
        # A method that was decorated without brackets.
        return self if instance is None or not self._wrapped else types.MethodType(self._wrapped, instance)


class counter:
    """A counter of the program's own; calling it says its value in this thread, now."""

    def __init__(self, name, unit="", *, mode="level", type=float):
        if mode not in _MODES:
            raise ValueError(f"mode={mode!r}: it is one of {', '.join(_MODES)}")
        if type not in _TYPES:
            raise ValueError("type: it is int or float")
        self._told = (_bytes(name), _bytes(unit), _TYPES[type], _MODES[mode])
        self._set = None
        self._handle = None
        if _library:
            self._set = _library.hybmon_counter_int if type is int else _library.hybmon_counter_double

    def __call__(self, value):
        if not self._set:
            return
        if not self._handle:
            self._handle = _library.hybmon_counter_named(*self._told)
        self._set(self._handle, value)
