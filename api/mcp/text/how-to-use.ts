/** What a model is told once, before it asks anything. */
export const HOW_TO_USE = `modelstats keeps a daily record of AI models: who made them, benchmark scores, rankings, prices per provider, and how all of it changed.
Ids are exact and case-sensitive: call resolve-model with a name that somebody wrote, and use the id that it gives.
Prices are US dollars per million tokens. Dates are UTC days. A dash means that a value is not known; nothing is estimated.
Data change once a night, so the same question has the same answer all day; "data as of" tells the moment.
A call that returns data costs one unit of the organization's daily quota, compare-models one per model; a refused call costs nothing, get-account neither.
Answers are cut at about 25,000 tokens and say so, with how to get the rest. Lists have pages: pass next_cursor as cursor, with the same other arguments.`;
