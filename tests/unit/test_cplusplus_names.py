"""Names of C++ functions without what makes them long."""

from __future__ import annotations

import time

import pytest

from rankwise.profile.join.cplusplus_names import short_name


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("work()", "work"),
        ("work(int, char const*)", "work"),
        ("solver::Grid<double>::step(double)", "solver::Grid<double>::step"),
        ("Grid::size() const", "Grid::size"),
        ("Grid::size() const volatile &&", "Grid::size"),
        ("Grid::size() & noexcept", "Grid::size"),
        ("work(int) [clone .constprop.0]", "work"),
        ("work(int) [clone .isra.0] [clone .cold]", "work"),
        ("name[abi:cxx11](int)", "name[abi:cxx11]"),
        ("Grid::~Grid()", "Grid::~Grid"),
        ("(anonymous namespace)::work(int)", "(anonymous namespace)::work"),
        ("a::(anonymous namespace)::work(int)", "a::(anonymous namespace)::work"),
        # Inside of functions.
        ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}"),
        ("run(int)::{lambda()#2}::operator()() const", "run::{lambda()#2}"),
        (
            "A::run(int) const::{lambda(auto:1)#1}::operator()<int>(int) const",
            "A::run::{lambda(auto:1)#1}::operator()<int>",
        ),
        ("main::{lambda(int)#1}::_FUN(int)", "main::{lambda(int)#1}::_FUN"),
        ("outer(int)::Local::run(int)", "outer::Local::run"),
        ("outer(int)::{unnamed type#1}::run(void (*)(int))", "outer::{unnamed type#1}::run"),
        (
            "f(int)::{lambda()#1}::operator()() const::{lambda()#2}::operator()() const",
            "f::{lambda()#1}::{lambda()#2}",
        ),
        (
            "std::_Function_handler<void (int), main::{lambda(int)#1}>::_M_invoke(std::_Any_data const&)",
            "std::_Function_handler<void (int), main::{lambda(int)#1}>::_M_invoke",
        ),
        # What templates return.
        ("decltype (({parm#1}.g)()) Fn::go<double>(double)", "Fn::go<double>"),
        ("decltype(auto) go<double>(double)", "go<double>"),
        ("std::enable_if<(2)>(1), int>::type go<int>(int)", None),
        ("std::enable_if<((2)>(1)), int>::type go<int>(int)", "go<int>"),
        ("std::enable_if<(E)0, int>::type& a::go<int>(int)", "a::go<int>"),
        ("void go<int>(int)", "go<int>"),
        ("unsigned long const* a::b<&c(int)>::go<int>(int)", "a::b<&c(int)>::go<int>"),
        ("void (anonymous namespace)::go<int>(int)", "(anonymous namespace)::go<int>"),
        ("void go<int>(int) requires C<int>", "go<int>"),
        ("decltype ((f)(g)) (anonymous namespace)::go<int>(int)", "(anonymous namespace)::go<int>"),
        ("void (*go<int>(int))(double)", None),
        # Operators.
        ("operator<(A const&, A const&)", "operator<"),
        ("operator<<(A&, int)", "operator<<"),
        ("bool operator< <int>(A<int> const&)", "operator< <int>"),
        ("std::ostream& operator<< <int>(std::ostream&, A<int>)", "operator<< <int>"),
        ("A::operator->() const", "A::operator->"),
        ("A::operator->*(int)", "A::operator->*"),
        ("A::operator()(int) const", "A::operator()"),
        ("std::function<void (int)>::operator()(int) const", "std::function<void (int)>::operator()"),
        ("A::operator[](int)", "A::operator[]"),
        ("A::operator bool() const", "A::operator bool"),
        ("A::operator std::vector<int> const*() const", "A::operator std::vector<int> const*"),
        ("A::operator void (*)(int)() const", "A::operator void (*)(int)"),
        ("A::operator,(int)", "A::operator,"),
        ("A::operator<=>(A const&) const", "A::operator<=>"),
        ("operator new(unsigned long)", "operator new"),
        ("A::operator delete[](void*)", "A::operator delete[]"),
        ('operator"" _km(long double)', 'operator"" _km'),
        ("go<&A::operator<>(int)", "go<&A::operator<>"),
        ("go<&A::operator-> >()", "go<&A::operator-> >"),
        ("my_operator(int)", "my_operator"),
        ("operators::run(int)", "operators::run"),
        # Thunks.
        ("virtual thunk to A::run(int)", "A::run"),
        ("non-virtual thunk to A::run()", "A::run"),
        # No functions, or damaged.
        ("", None),
        ("_Z", None),
        ("(", None),
        (")", None),
        ("()", None),
        ("()()", None),
        ("f(", None),
        ("f)", None),
        ("f(int", None),
        ("f(int))", None),
        ("f<int(int)", None),
        ("f>(int)", None),
        ("f<int>>(int)", None),
        ("f({)}", None),
        ("f(int) g", None),
        ("operator", None),
        ("operator ", None),
        ("operator (", None),
        ("typeinfo for A", None),
    ],
)
def test_names(name: str, short: str | None) -> None:
    assert short_name(name) == (name if short is None else short)


@pytest.mark.parametrize(
    "text", ["(", "<", "operator ", "operator a(", "f()::", "a ", "f(int) const", "operator<"]
)
def test_long_ones_take_no_time(text: str) -> None:
    before = time.process_time()
    short_name(text * 2000)
    assert time.process_time() - before < 10
