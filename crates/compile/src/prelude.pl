
% What cannot be computed fails: a symbol in a sum, a division by zero, more than 64 bits.
ludolog_fits(X) :- integer(X), X >= -9223372036854775808, X =< 9223372036854775807.
ludolog_add(A, B, C) :- integer(A), integer(B), C is A + B, ludolog_fits(C).
ludolog_subtract(A, B, C) :- integer(A), integer(B), C is A - B, ludolog_fits(C).
ludolog_multiply(A, B, C) :- integer(A), integer(B), C is A * B, ludolog_fits(C).
ludolog_divide(A, B, C) :- integer(A), integer(B), B =\= 0, C is A div B, ludolog_fits(C).
ludolog_modulo(A, B, C) :- integer(A), integer(B), B =\= 0, C is A mod B.
ludolog_negate(A, B) :- integer(A), B is -A, ludolog_fits(B).
ludolog_minimum(A, B, C) :- integer(A), integer(B), C is min(A, B).
ludolog_maximum(A, B, C) :- integer(A), integer(B), C is max(A, B).
ludolog_absolute(A, B) :- integer(A), B is abs(A), ludolog_fits(B).
ludolog_power(A, B, C) :-
    integer(A), integer(B), B >= 0, ( abs(A) > 1 -> B =< 64, C is A ** B ; A =:= -1, B mod 2 =:= 0 -> C = 1 ; B =:= 0 -> C = 1 ; C = A ),
    ludolog_fits(C).
ludolog_band(A, B, C) :- integer(A), integer(B), C is A /\ B.
ludolog_bor(A, B, C) :- integer(A), integer(B), C is A \/ B.
ludolog_bxor(A, B, C) :- integer(A), integer(B), C is A xor B.
ludolog_bnot(A, B) :- integer(A), B is \ A.
ludolog_bshl(A, B, C) :-
    integer(A), integer(B), B >= 0, ( A =:= 0 -> C = 0 ; B =< 64, C is A << B ), ludolog_fits(C).
ludolog_bshr(A, B, C) :- integer(A), integer(B), B >= 0, Bits is min(B, 64), C is A >> Bits.
ludolog_number(A, A) :- integer(A), !.
ludolog_number(S, N) :-
    atom(S), atom_codes(S, Codes), ( Codes = [0'-|Digits] -> true ; Digits = Codes ), Digits = [_|_],
    forall(member(Digit, Digits), ( Digit >= 0'0, Digit =< 0'9 )), number_codes(N, Codes), ludolog_fits(N).
ludolog_spelling(Parts, S) :- ludolog_join(Parts, S).
ludolog_length(S, N) :- atom(S), atom_length(S, N).
ludolog_join(Parts, S) :- forall(member(Part, Parts), ludolog_value(Part)), atomic_list_concat(Parts, S).
ludolog_part(S, Start, Length, Part) :-
    atom(S), integer(Start), integer(Length), Start >= 0, Length >= 0, sub_atom(S, Start, Length, _, Part), !.

% Integers and symbols are values; both sides of a comparison are of one kind.
ludolog_value(X) :- ( integer(X) -> true ; atom(X) ).
ludolog_comparable(X, Y) :- ( integer(X) -> integer(Y) ; atom(X), atom(Y) ).
ludolog_same(X, Y) :- ludolog_value(X), X == Y.
ludolog_other(X, Y) :- ludolog_comparable(X, Y), X \== Y.
ludolog_less(X, Y) :- ludolog_comparable(X, Y), X @< Y.
ludolog_less_or_equal(X, Y) :- ludolog_comparable(X, Y), X @=< Y.

ludolog_element(X, cons(X, _)).
ludolog_element(X, cons(_, Rest)) :- ludolog_element(X, Rest).
ludolog_within(X, From, To) :-
    integer(From), integer(To), ( var(X) -> between(From, To, X) ; integer(X), X >= From, X =< To ).

% Aggregates over the different tuples of a goal.
ludolog_tuples(Tuple, Goal, Tuples) :- findall(Tuple, Goal, All), sort(All, Tuples).
ludolog_firsts(Tuples, Firsts) :- findall(First, member([First|_], Tuples), Firsts).
ludolog_count(Tuples, N) :- length(Tuples, N).
ludolog_sum(Tuples, Sum) :- ludolog_total(Tuples, Sum), ludolog_fits(Sum).
ludolog_average(Tuples, Mean) :-
    ludolog_total(Tuples, Sum), length(Tuples, N), N > 0, Mean is Sum div N, ludolog_fits(Mean).
ludolog_total(Tuples, Sum) :- ludolog_firsts(Tuples, Firsts), forall(member(X, Firsts), integer(X)), sum_list(Firsts, Sum).
ludolog_extremes(Tuples, Sorted) :-
    ludolog_firsts(Tuples, Firsts), Firsts = [First|_], forall(member(X, Firsts), ludolog_comparable(First, X)),
    sort(Firsts, Sorted).
ludolog_least(Tuples, Least) :- ludolog_extremes(Tuples, [Least|_]).
ludolog_greatest(Tuples, Greatest) :- ludolog_extremes(Tuples, Sorted), last(Sorted, Greatest).

% The facts of a predicate, sorted, as rule files state them: by the name that they have there.
ludolog_print(Name, Arity) :- ludolog_print(Name, Name, Arity).
ludolog_print(Name, Stated, Arity) :-
    functor(Goal, Name, Arity), findall(Goal, Goal, All), sort(All, Sorted),
    forall(member(Fact, Sorted), ( Fact =.. [_|Arguments], ludolog_write_fact(Stated, Arguments), write('.'), nl )).
ludolog_write_fact(Name, []) :- ludolog_write_name(Name).
ludolog_write_fact(Name, [X|Rest]) :-
    ludolog_write_name(Name), write('('), ludolog_write_list([X|Rest]), write(')').
ludolog_write(X) :- integer(X), !, write(X).
ludolog_write(nil) :- !, write('[]').
ludolog_write(cons(X, Rest)) :- !, write('['), ludolog_write(X), ludolog_write_rest(Rest), write(']').
ludolog_write(X) :- atom(X), !, ludolog_write_name(X).
ludolog_write(X) :-
    compound_name_arguments(X, Name, Arguments), ludolog_write_name(Name), write('('), ludolog_write_list(Arguments), write(')').
ludolog_write_rest(nil) :- !.
ludolog_write_rest(cons(X, Rest)) :- !, write(', '), ludolog_write(X), ludolog_write_rest(Rest).
ludolog_write_rest(X) :- write(' | '), ludolog_write(X).
ludolog_write_list([]).
ludolog_write_list([X|Rest]) :- ludolog_write(X), ( Rest = [] -> true ; write(', '), ludolog_write_list(Rest) ).
ludolog_write_name(Name) :-
    \+ member(Name, [not, is, mod]), atom_codes(Name, [First|Codes]), First >= 0'a, First =< 0'z,
    forall(member(Code, Codes), ( Code < 128, code_type(Code, csym) )), !, write(Name).
ludolog_write_name(Name) :-
    write(''''), forall(sub_atom(Name, _, 1, _, Char), ( ludolog_escape(Char, Text) -> write(Text) ; write(Char) )), write('''').
ludolog_escape('\\', '\\\\').
ludolog_escape('''', '\\''').
ludolog_escape('\n', '\\n').
ludolog_escape('\r', '\\r').
ludolog_escape('\t', '\\t').
