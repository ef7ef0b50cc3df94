"""The tables: what each holds, how it is read, checked and written.

Columns of a curves table that it may leave out (null where unknown):

    unreadable          share of answers from which nothing could be read; they cast no vote
    cut_off             share of answers that the limit on their tokens ended (finish_reason "length")
    stderr_vs_first_n   standard error of accuracy − the accuracy at the smallest N of the same setting
    stderr_vs_cheapest  standard error of accuracy − the accuracy of the cheapest setting at the same N

Both shares are means over questions of a question's share, as accuracies are. Both standard errors are paired
by question: they hold for these differences, where `stderr` of the two rows, taken as independent, is too
wide. All four stand in exact rows only; the errors are null in the row that others are compared with and
where the two rows do not hold the same questions. The cheapest setting has the fewest tokens per answer;
where a setting has no token counts it is the first in the table.

A comparison table (`results compare`) has a row for each pair of runs, method and N:

    dataset a     b     setting_a setting_b method   N questions accuracy_a accuracy_b difference low  high
    gsm8k   small large 100       100       majority 8 1319      0.71       0.74       0.03       0.01 0.05

    a, b              the runs; in a comparison within one run, its settings
    difference        accuracy_b − accuracy_a, paired by question; low, high: its 90 % interval for new
                      questions of the kind, with stderr; p_value: two-sided, of no difference
    cost              tokens per question that a's N answers take, or their price
    N_at_cost         answers that b has for as much; its fraction: the share of questions with one
                      more
    difference_at_cost, low_at_cost, high_at_cost    b at N_at_cost − a at N
    gained, lost      questions whose chance to be right rises above one half, or falls below it
    flips             the largest of them, in words
    questions_needed  questions, with as many answers each, that would show a difference of this size as
                      significant at 5 % in 80 of 100 tries
    answers_needed    answers per question, on as many questions, that would; null where none suffice

A method at N = 1 is a single answer. Costs are null where a run has no token counts or too few answers.
"""
