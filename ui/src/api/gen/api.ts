// Made by `cargo xtask gen` from crates/strata-app. Do not edit.

/**
 * A Python file that needs nothing but google-adk itself.
 */
export type RecorderFile = {
/**
 * What to save it as.
 */
name: string, text: string,
/**
 * The lines that an app needs, where its agent is called `root_agent`.
 */
usage: string, };

/**
 * A batch as far as it is.
 */
export type LabBatch = { batch: string, session: string, state: JobState,
/**
 * Null where none goes on.
 */
job: string | null, prompt: string | null, probes: BatchProbes | null, budget: BatchBudget,
/**
 * What this batch spent, cells that were kept not among it.
 */
spentTokens: number,
/**
 * US dollars; null where some of it has no price.
 */
spentUsd: number | null, cells: Array<BatchCell>,
/**
 * As the session was recorded.
 */
recorded: LabBill | null,
/**
 * The place of the cell to take, by the rule of sweeps: none that lost a value that was used later.
 */
recommended: number | null,
/**
 * Why, in a sentence or two; empty until it ended.
 */
reason: string,
/**
 * Some cell has no result, and none goes on.
 */
canResume: boolean, failure: string | null, startedMs: number, };

/**
 * A batch in the list.
 */
export type BatchRow = { batch: string, session: string, state: JobState, configs: number, models: number,
/**
 * Cells that have a result.
 */
done: number, cells: number, startedMs: number, };

/**
 * A call of a session or an experiment.
 */
export type CallPlace = { session: string,
/**
 * C1 is number 1.
 */
call: number, };

/**
 * A call of both sides, or of one.
 */
export type AlignedCall = {
/**
 * The user's turn, counted from 1.
 */
turn: number, agent: string,
/**
 * Absent on a side that has no such call.
 */
a: AlignedSide | null, b: AlignedSide | null,
/**
 * Kinds of tokens of which one side has more, as far as they are counted.
 */
kinds: Array<KindDifference>, };

/**
 * A call of one side.
 */
export type AlignedSide = { call: number, model: string, tokens: number, basis: Basis, cachedTokens: number, outputTokens: number | null,
/**
 * US dollars.
 */
cost: number | null, };

/**
 * A call that is held, as it would be sent. It is the last call of the session, which every view can show.
 */
export type HeldCall = { agent: string,
/**
 * The run of a node that makes the call; empty outside of nodes.
 */
nodePath: string,
/**
 * Why it is held, a sentence each.
 */
reasons: Array<string>,
/**
 * By our count.
 */
promptTokens: number, basis: Basis,
/**
 * US dollars of the prompt, if nothing of it is found in a cache.
 */
promptCost: number | null,
/**
 * How it continues its agent's call before. Absent for the first one.
 */
before: Continuation | null,
/**
 * As it is asked of the model.
 */
model: string,
/**
 * The instruction, as it would be sent; absent where there is none.
 */
system: string | null, parts: Array<HeldPart>,
/**
 * Somebody has edited it.
 */
isEdited: boolean, };

/**
 * A call that lost something that could have been cached.
 */
export type CauseBreak = { side: SideName, call: number,
/**
 * Why, in a sentence.
 */
cause: string, tokens: number,
/**
 * US dollars.
 */
cost: number | null, };

/**
 * A call that waits for an answer from outside.
 */
export type WaitingCall = { id: string, agent: string, kind: WaitingKind,
/**
 * The tool that waits, or is to be confirmed.
 */
tool: string,
/**
 * What is asked, where the agent says it.
 */
question: string | null,
/**
 * Arguments, in JSON.
 */
args: string, };

/**
 * A cause of the difference. All amounts are B less A.
 */
export type DifferenceCause = {
/**
 * `tool_results`, `calls`, `cache`, …
 */
kind: string,
/**
 * The tool, agent, source or models that it is about; empty where the kind says it all.
 */
what: string,
/**
 * The turn, for calls.
 */
turn: number | null,
/**
 * Both in words.
 */
title: string,
/**
 * Calls more or fewer.
 */
calls: number,
/**
 * Tokens of prompts.
 */
tokens: number,
/**
 * Of these, tokens that were read from a cache.
 */
cachedTokens: number,
/**
 * Tokens of answers.
 */
outputTokens: number,
/**
 * US dollars; absent where a call of either side has no known price.
 */
cost: number | null,
/**
 * Of the tokens, the weaker of both sides.
 */
basis: Basis,
/**
 * Where most of it is seen.
 */
side: SideName, call: number,
/**
 * Of a cache: calls of either side that lost something, the greatest first.
 */
breaks: Array<CauseBreak>,
/**
 * How many there are in all.
 */
totalBreaks: number, };

/**
 * A change of a request that is held. Contents and parts count from 0.
 */
export type HeldEdit = { "kind": "system", text: string, } | { "kind": "text", content: number, part: number, text: string, } | { "kind": "leaveOut", parts: Array<PartPlace>, } | { "kind": "model", name: string, } | { "kind": "request", json: string, };

/**
 * A change of flows. Processors are named as stages are. `agent` says in whose flow; absent: in every flow that has
 * the processor.
 */
export type FlowEdit = { "edit": "enable_processor", processor: string, agent?: string, } | { "edit": "disable_processor", processor: string, agent?: string, } | { "edit": "move_processor", processor: string,
/**
 * The processor it then stands before; absent: behind all others.
 */
before?: string, agent?: string, } | { "edit": "insert_processor",
/**
 * Its kind, as the catalogue calls it.
 */
use: string,
/**
 * What it is called in the flow; absent: its kind, with a number where that is taken.
 */
name?: string,
/**
 * The processor it stands before; absent: where processors of its kind belong.
 */
before?: string,
/**
 * What is left out has its default.
 */
params?: JsonObject, agent?: string, } | { "edit": "configure_processor", processor: string, params: JsonObject, agent?: string, } | { "edit": "remove_processor", processor: string, agent?: string, } | { "edit": "set_state_map", key: string, fields: Array<string>, };

/**
 * A change of one event. E1 is 1.
 */
export type EventsEdit = { "edit": "drop_event", event: number, } | { "edit": "edit_event", event: number, content: unknown, } | { "edit": "pin_event", event: number, };

/**
 * A change of the app or of an agent in it.
 */
export type AppEdit = { "edit": "set_instruction", agent: string, text: string | null, } | { "edit": "set_static_instruction", agent: string, text: string | null, } | { "edit": "set_global_instruction", text: string | null, } | { "edit": "set_tool", agent: string, tool: string, declaration: JsonObject | null, } | { "edit": "set_output_schema", agent: string, schema: unknown, } | { "edit": "set_include_contents", agent: string, value: string, } | { "edit": "set_cache", config: JsonObject | null, };

/**
 * A change of what is summarised. Only the last one counts.
 */
export type CompactionEdit = { "edit": "set_compaction", config: JsonObject | null, } | { "edit": "lay_summaries",
/**
 * What they were written for, as `interval=3,overlap=1`.
 */
config: string,
/**
 * The prompt the summariser was given in place of google-adk's.
 */
prompt?: string, summaries: Array<LaidSummary>, cleared?: Array<ClearedResults>, };

/**
 * A change that would help, tried on all calls.
 */
export type FixRow = {
/**
 * "Cap rows of search_logs at 20".
 */
title: string,
/**
 * What `findings/apply` makes of it.
 */
edits: Array<Edit>,
/**
 * Prompt tokens less over all calls.
 */
savesTokens: number, savesUsd: number | null, basis: Basis, effect: Effect,
/**
 * What to change in the tool that wrote the session instead, where it has a setting for it.
 */
remedy: Remedy | null,
/**
 * That cached tokens are lost, or drops what an answer uses later, a sentence each.
 */
warnings: Array<string>, };

/**
 * A configuration gone through.
 */
export type LabReplay = { config: string,
/**
 * The windows are those google-adk would have taken.
 */
isAdk: boolean, windows: Array<LabWindow>, bill: LabBill,
/**
 * Without any summary.
 */
unchanged: LabBill,
/**
 * As it was recorded.
 */
recorded: LabBill,
/**
 * Tokens of each prompt, C1 first; the same without any summary, and as recorded.
 */
promptTokens: Array<number>, unchangedTokens: Array<number>, recordedTokens: Array<number>, cleared: Array<LabCleared>,
/**
 * Facts of all windows so far that some summary still tells, after each summary.
 */
survival: Array<LabGeneration>,
/**
 * What can be read at the end of everything that is summarised; null where no summary is written.
 */
told: LabTold | null,
/**
 * The same in sentences, with what never reaches a summariser.
 */
said: string,
/**
 * What later answers used of that which is summarised away, in the order of the calls: the first of them.
 */
regret: Array<LabRegret>,
/**
 * All of them.
 */
nRegret: number,
/**
 * The summaries are not written: it is the most that can be regretted.
 */
isRegretBound: boolean,
/**
 * The same in a sentence.
 */
regretSaid: string,
/**
 * The setting in the session's own tool; null where it has none.
 */
ownSetting: LabOwnSetting | null, };

/**
 * A context that a recording names.
 */
export type SeenContext = {
/**
 * As it was said; what looks like a key is masked.
 */
id: string,
/**
 * `mcp`, `a2a`, `http`, `tool` where it is not known what carried a tool's arguments, `responses`, or `adk`; by the time
 * each was first used.
 */
doors: Array<string>,
/**
 * How often it is named.
 */
times: number,
/**
 * Epoch milliseconds.
 */
firstMs: number, lastMs: number,
/**
 * The first of them.
 */
sightings: Array<ContextSighting>, };

/**
 * A context. Times are epoch milliseconds.
 */
export type ContextLine = { id: string, principal: string,
/**
 * `active`, `idle`, `archived` or `expired`; `seen` where only the open session names it.
 */
state: string,
/**
 * `interactive`, `async` or `human in the loop`.
 */
ttl: string,
/**
 * Seconds without anything happening after which it ends; null where there is no clock.
 */
ttlSeconds: number | null, createdMs: number, updatedMs: number,
/**
 * When it expires if nothing else happens; null: not by the clock, or not while a task is open.
 */
expiresMs: number | null, expiredMs: number | null,
/**
 * That are kept, the summary included, and how many there ever were.
 */
messages: number, messagesEver: number, hasSummary: boolean,
/**
 * Bytes of the working state, of messages, and of values that the working state had no room for.
 */
stateBytes: number, messageBytes: number, putAwayBytes: number, openTasks: number, completedTasks: number,
/**
 * `mcp`, `a2a` or `http`, by the time each was first used. Of one that is only seen also `tool`, where it is not known
 * what carried a tool's arguments, `responses` and `adk`.
 */
doors: Array<string>,
/**
 * The session in which its agents answer.
 */
session: string | null, isOfSession: boolean,
/**
 * How often the open session names it.
 */
seen: number, };

/**
 * A count of tokens and what it rests on. `low` and `high` bound the truth where the basis is not exact.
 */
export type TokenCount = { tokens: number, basis: Basis, low: number, high: number, };

/**
 * A fact of a window.
 */
export type LabFact = {
/**
 * "path", "identifier", "number", …
 */
kind: string, text: string, verdict: FactVerdict,
/**
 * The address of the event that states it.
 */
event: string,
/**
 * How often the session states it again after the window.
 */
usedLater: number, weight: number, };

/**
 * A file that could not be read.
 */
export type FailedFile = { path: string, reason: string, };

/**
 * A finding that several sessions of a tool have.
 */
export type HomePattern = {
/**
 * Of the finding.
 */
code: string, title: string,
/**
 * What to change.
 */
advice: string, tool: string,
/**
 * Sessions that have it, of all sessions of the tool that were looked through.
 */
sessions: number, ofSessions: number,
/**
 * Over the period. Patterns overlap.
 */
tokens: number,
/**
 * US dollars a week, as an estimate: the period's sum ÷ weeks. Absent where a price is not known.
 */
costPerWeek: number | null, tokensPerWeek: number,
/**
 * What to change in the tool, in its own terms, as it helps most in the costliest of these sessions.
 */
remedy: Remedy | null, };

/**
 * A goal before it is graded.
 */
export type GoalRow = { id: string, text: string,
/**
 * What is asked for, with its unit; for a question the form of its answer.
 */
wanted: string,
/**
 * Met by an answer and not by edits.
 */
isQuestion: boolean,
/**
 * From a nudge to all but the answer.
 */
hints: Array<string>, };

/**
 * A key over the calls, column by column.
 */
export type KeyColumns = {
/**
 * Of the value at the last call of each column; absent where there was none.
 */
tokens: Array<number | null>,
/**
 * Indices of columns, in order.
 */
written: Array<number>, read: Array<number>, broke: Array<number>, };

/**
 * A lesson in a list.
 */
export type LessonRow = { id: string, title: string,
/**
 * `beginner`, `intermediate` or `advanced`.
 */
level: string, minutes: number,
/**
 * How many.
 */
goals: number,
/**
 * Ways to meet all goals that the author gives.
 */
solutions: number, };

/**
 * A lesson, and how far a learner is with it.
 */
export type LessonProgress = { row: LessonRow,
/**
 * Goals that were met, in one attempt or another.
 */
met: Array<string>,
/**
 * Whether all of them were met in one attempt.
 */
isSolved: boolean,
/**
 * Whether it came in a class file.
 */
isOfClass: boolean, };

/**
 * A model that is asked, where it is.
 */
export type BatchModel = {
/**
 * `extractive`, or the name of an endpoint of `model/list`.
 */
writer: string,
/**
 * The endpoint's model; without it the one of the configuration, else the endpoint's own.
 */
model: string | null, };

/**
 * A parameter, with all that a form for it needs.
 */
export type Param = { name: string, input: ParamInput,
/**
 * Null for one that may be left empty.
 */
default: unknown,
/**
 * What a number counts: `rows`, `characters`.
 */
unit: string | null,
/**
 * A sentence.
 */
doc: string, };

/**
 * A part of a request that is held.
 */
export type HeldPart = {
/**
 * Both count from 0.
 */
content: number, part: number,
/**
 * `user` or `model`.
 */
role: string,
/**
 * In words: `text`, `thought`, `call of look`, `result of look`, `data`.
 */
kind: string,
/**
 * What would be edited: a text, or the value of a result in JSON. Of anything else, a look at it.
 */
text: string,
/**
 * Whether its text can be edited. Any part can be left out.
 */
isText: boolean, };

/**
 * A place that was read.
 */
export type UsagePlace = {
/**
 * The tool that keeps sessions there; absent for a path that was named.
 */
tool: string | null, path: string,
/**
 * Files with a session.
 */
files: number, };

/**
 * A processor that an experiment put into a flow.
 */
export type InsertedStage = {
/**
 * A kind of the catalogue.
 */
kind: string,
/**
 * As given: what is left out has its default.
 */
params: JsonObject, };

/**
 * A provider that requests are passed on to.
 */
export type Provider = {
/**
 * What its paths may begin with: `BASE/NAME/…`.
 */
name: string, url: string, };

/**
 * A request that waits for a decision.
 */
export type HeldRequest = { number: number,
/**
 * `claude-code`, `codex`, …; `http` for programs of people's own.
 */
client: string,
/**
 * As its client names it.
 */
session: string | null, call: HeldCall,
/**
 * The JSON that is sent.
 */
body: string,
/**
 * It is sent by itself then, before its client gives up.
 */
secondsLeft: number, };

/**
 * A request with its answer.
 */
export type Exchange = { number: number, method: string,
/**
 * Without keys.
 */
url: string, status: number | null, bytesSent: number, bytesReceived: number,
/**
 * How long it was held before it was sent.
 */
heldMs: number,
/**
 * From when it was sent.
 */
firstByteMs: number | null, ms: number,
/**
 * What of it was not recorded, or how it ended where it did not end well.
 */
problem: string | null, };

/**
 * A run as far as it is.
 */
export type LabRun = {
/**
 * Empty where it was read from the store.
 */
job: string, run: string, state: JobState, config: string, writer: string, model: string | null,
/**
 * Summaries that are written, paid for now or before.
 */
written: number, expected: number, fromBefore: number,
/**
 * What the model reported for those of this run.
 */
inputTokens: number, outputTokens: number, costUsd: number | null,
/**
 * What was predicted of the prompts of this run; null as long as the model has reported on none of them.
 */
prompts: LabPrompts | null,
/**
 * What is being written.
 */
streaming: string,
/**
 * Tokens of the summary that is being written so far, by our count; thoughts included.
 */
streamedTokens: number,
/**
 * As fast as they come; null before any came.
 */
tokensPerS: number | null,
/**
 * Until the run ends, by how long the summaries so far took; null as long as that is a guess.
 */
secondsLeft: number | null,
/**
 * How long it took, once it has ended.
 */
seconds: number | null,
/**
 * The beginning of a summary that was not written to its end.
 */
partial: LabPartial | null,
/**
 * Set when it ended well.
 */
replay: LabReplay | null,
/**
 * Set when it did not: what happened, what was kept, what to do.
 */
failure: string | null, };

/**
 * A run as it is. Its events and calls are those of its session, which every view can open.
 */
export type RunStatus = { run: string,
/**
 * The session that grows.
 */
session: string,
/**
 * The app's name.
 */
app: string,
/**
 * Who answers, as it was started.
 */
model: string, phase: RunPhase,
/**
 * The turn that is being taken, or was last.
 */
job: string | null,
/**
 * What it takes up, if it is not new.
 */
from: RunOrigin | null,
/**
 * Requests that were let through to a model, or answered as recorded.
 */
calls: number,
/**
 * What the run has taken so far, and what it may take.
 */
spent: Spent, limits: Limits,
/**
 * The app's agents and nodes, each behind the one above it.
 */
agents: Array<RunAgent>,
/**
 * What is being said, as far as it came.
 */
saying: Saying | null,
/**
 * The call that is held.
 */
held: HeldCall | null,
/**
 * When calls are held.
 */
holds: Array<string>,
/**
 * Calls that wait for an answer.
 */
waiting: Array<WaitingCall>,
/**
 * Why the last turn failed.
 */
error: RunProblem | null,
/**
 * What else there is to know, a sentence each; the newest ones.
 */
notes: Array<string>, };

/**
 * A run in the list.
 */
export type LabRunRow = { run: string,
/**
 * The session or the experiment it went over.
 */
session: string, config: string, prompt: string | null, writer: string, model: string | null, state: JobState,
/**
 * Summaries that were written, and those that were expected in all.
 */
written: number, expected: number, costUsd: number | null,
/**
 * Of the facts in what was summarised; null until it ended.
 */
kept: number | null, dropped: number | null, failure: string | null,
/**
 * How long it took, once it has ended.
 */
seconds: number | null, startedMs: number, };

/**
 * A run of a part's text with one source.
 */
export type PartSpan = {
/**
 * In UTF-16 units of the part's text.
 */
from: number, to: number,
/**
 * "the runtime's framing", "E39", "state.hits", "instruction of log_analyst".
 */
source: string, address: string | null, };

/**
 * A run of calls, both ends included; calls count from 1.
 */
export type CallRange = { from: number, to: number, };

/**
 * A session and its budget.
 */
export type BudgetWord = { session: string, isPassed: boolean,
/**
 * What happened, or why nobody can know, in a sentence.
 */
text: string, };

/**
 * A session, its sub-agents included; or a file that could not be read.
 */
export type HomeSession = {
/**
 * Reading this file opens it.
 */
path: string,
/**
 * The id that it has itself, or its path.
 */
id: string, title: string, tool: string, project: string | null, models: Array<string>,
/**
 * Epoch milliseconds of its last call; of the file, where no call has a time.
 */
lastMs: number | null,
/**
 * The day of that.
 */
day: string | null,
/**
 * The largest prompt that was reported.
 */
peakTokens: number | null,
/**
 * What its model takes, where that is known.
 */
limitTokens: number | null,
/**
 * Prompts as they were reported, and what of them came from a cache, call by call; of many calls the largest of some.
 */
prompts: Array<HomePrompt>,
/**
 * Absent until it was looked through.
 */
waste: SessionWaste | null,
/**
 * What a person should know about the file: why it could not be read, or what is missing of it.
 */
problem: string | null,
/**
 * Nothing of it is known.
 */
isUnread: boolean,
/**
 * With a call of these, their sub-agents included.
 */
sessions: number,
/**
 * Those whose prompt is reported.
 */
calls: number,
/**
 * Reports on several calls together, which did not report their own.
 */
combinedReports: number,
/**
 * Calls that were answered and report no prompt: nothing of it is in these sums.
 */
unreportedCalls: number,
/**
 * All of the prompts: the next three add up to it.
 */
inputTokens: number, uncachedTokens: number,
/**
 * Read from a cache, and written to one.
 */
cachedTokens: number, cacheWriteTokens: number,
/**
 * Thoughts included.
 */
outputTokens: number,
/**
 * The share of the prompts that was read from a cache, from 0 to 1.
 */
cacheRatio: number,
/**
 * US dollars for all calls that have a price; absent where none has one.
 */
cost: number | null,
/**
 * `reported` where each report is of one call; `estimated` where some are of several, whose prompts may have been
 * long ones.
 */
costBasis: Basis,
/**
 * Calls and reports without a known price: they are not in the cost.
 */
unpricedCalls: number, };

/**
 * A source of tokens that calls carry again and again.
 */
export type BloatRow = {
/**
 * `E7`, `tool.search_logs`, `agent.planner`.
 */
address: string,
/**
 * `E7 search_logs`.
 */
name: string,
/**
 * Of one call.
 */
tokens: number, basis: Basis,
/**
 * How many calls carried it.
 */
calls: number, lifetimeTokens: number, costUsd: number | null, fixes: Array<FixRow>, };

/**
 * A summary that is due.
 */
export type LabWindow = {
/**
 * The first call that can see the summary; none after the last call.
 */
atCall: number | null,
/**
 * That call waits for it.
 */
isWaitedFor: boolean, trigger: LabTrigger,
/**
 * Addresses of the first and the last event.
 */
firstEvent: string, lastEvent: string, events: number,
/**
 * The earlier window whose summary is summarised again.
 */
seed: number | null, tokensBefore: number,
/**
 * Of the summary.
 */
tokensAfter: number, summarizer: string,
/**
 * Empty where its size is all there is.
 */
summary: string,
/**
 * Why it was not laid over the session.
 */
blocked: string | null, kept: number, paraphrased: number, dropped: number,
/**
 * The share of what was lost, by weight, from 0 to 1.
 */
lostShare: number,
/**
 * Null where nothing was written.
 */
told: LabTold | null,
/**
 * How much can be read, and what never reached the summariser, in sentences.
 */
said: string, };

/**
 * A summary, and what it stands for. E1 is 1.
 */
export type LaidSummary = {
/**
 * It stands behind this recorded event.
 */
after: number,
/**
 * The first and the last event in whose time lie all that it covers.
 */
first: number, last: number,
/**
 * ADK's `{role, parts}`.
 */
content: unknown,
/**
 * Who wrote it.
 */
by?: string,
/**
 * Nobody was paid for it: it was written on a computer of one's own.
 */
free?: boolean,
/**
 * What writing it took, where that was reported: ADK's usage metadata.
 */
usage?: JsonObject,
/**
 * Covers events of this isolation scope; absent: those of none.
 */
isolation_scope?: string, };

/**
 * A text that is counted in two ways.
 */
export type DisputedText = {
/**
 * `C3, system instruction`.
 */
place: string, tokens: number, referee: number, };

/**
 * A text that the other implementation could not count.
 */
export type DeclinedText = { place: string, reason: string, };

/**
 * A token's text.
 */
export type TokenChip = { text: string, kind: Kind, };

/**
 * A value that was summarised away and used later.
 */
export type LabRegret = { value: string,
/**
 * The address of the newest event that held it.
 */
event: string,
/**
 * The window that event went with, from 0; null where a result was cleared.
 */
window: number | null,
/**
 * The call whose answer used it, by number.
 */
call: number,
/**
 * The tool in whose arguments it stands; null: in the answer's text.
 */
tool: string | null, };

/**
 * Amounts of one session. Absent: any.
 */
export type SessionBudget = {
/**
 * US dollars.
 */
usd: number | null,
/**
 * Tokens of prompts and answers.
 */
tokens: number | null, };

/**
 * An agent or a node of the app.
 */
export type RunAgent = { name: string,
/**
 * In words, such as `llm`, `sequential` or `function`.
 */
kind: string,
/**
 * How many stand above it.
 */
depth: number, state: AgentState,
/**
 * Requests of it that this run has let through to a model.
 */
calls: number, };

/**
 * Any JSON object.
 */
export type JsonObject = { readonly [key: string]: unknown };

/**
 * Calls that no row has.
 */
export type UsageApart = { why: ApartReason,
/**
 * With a call of these, their sub-agents included.
 */
sessions: number,
/**
 * Those whose prompt is reported.
 */
calls: number,
/**
 * Reports on several calls together, which did not report their own.
 */
combinedReports: number,
/**
 * Calls that were answered and report no prompt: nothing of it is in these sums.
 */
unreportedCalls: number,
/**
 * All of the prompts: the next three add up to it.
 */
inputTokens: number, uncachedTokens: number,
/**
 * Read from a cache, and written to one.
 */
cachedTokens: number, cacheWriteTokens: number,
/**
 * Thoughts included.
 */
outputTokens: number,
/**
 * The share of the prompts that was read from a cache, from 0 to 1.
 */
cacheRatio: number,
/**
 * US dollars for all calls that have a price; absent where none has one.
 */
cost: number | null,
/**
 * `reported` where each report is of one call; `estimated` where some are of several, whose prompts may have been
 * long ones.
 */
costBasis: Basis,
/**
 * Calls and reports without a known price: they are not in the cost.
 */
unpricedCalls: number, };

/**
 * Configurations that lie in one heat map.
 */
export type LabFamily = "off" | "slidingWindow" | "tokenThreshold" | "both" | "steps";

/**
 * Consecutive calls in whose prompts it lies at the same place.
 */
export type StratumRun = {
/**
 * The first call of the run, and its last one.
 */
from: number, to: number,
/**
 * Prompt tokens before it.
 */
fromToken: number, tokens: number, };

/**
 * Events whose long tool results give way to a note, from a call on.
 */
export type ClearedResults = {
/**
 * C1 is 1.
 */
before_call: number,
/**
 * E1 is 1.
 */
events: Array<number>, };

/**
 * Files by what came of them. A conversation that is kept in many files counts as one.
 */
export type UsageFiles = { read: number,
/**
 * There is no session in them.
 */
withoutSession: number, failed: Array<FailedFile>, };

/**
 * Files of a folder by what came of them. A conversation that is kept in many files counts as one.
 */
export type FileCounts = { imported: number,
/**
 * Read before, and not changed since.
 */
unchanged: number,
/**
 * There is no session in them.
 */
withoutSession: number, failed: Array<FailedFile>, };

/**
 * How a client is pointed at the gateway.
 */
export type Recipe = { client: string, by: CaughtBy,
/**
 * A line for a shell; the client's own arguments follow it.
 */
command: string, note: string, };

/**
 * How a prompt continues the one before it.
 */
export type Continuation = {
/**
 * Tokens of the prompt before, and of these the ones that this one begins with.
 */
tokens: number, sharedTokens: number,
/**
 * Where the first difference stands: `tools`, `instruction` or `conversation`. Absent: it only adds to it.
 */
differsIn: string | null, };

/**
 * How far reading is.
 */
export type HomeReading = { isRunning: boolean,
/**
 * A person stopped it: what was read by then is here.
 */
isStopped: boolean,
/**
 * Files whose sessions are known, of all files.
 */
readFiles: number, files: number,
/**
 * Files whose sessions were looked through for waste.
 */
examinedFiles: number,
/**
 * Files that were read since this start of Strata: the others had not changed since an earlier one.
 */
newlyReadFiles: number,
/**
 * Places that may be read and are gone.
 */
missingPlaces: Array<string>, };

/**
 * How many contexts each filter lets through.
 */
export type ContextCounts = { all: number, openTasks: number, expiring: number, named: number, };

/**
 * How many questions were answered how.
 */
export type ProbeCounts = { kept: number, lost: number,
/**
 * The events do not tell it either.
 */
unanswered: number,
/**
 * The events tell it, and the model did not find it in them: that says nothing of the summary.
 */
missed: number, };

/**
 * How models of one kind are counted, where a session does not tell better by itself.
 */
export type LearnedModel = {
/**
 * One of them.
 */
model: string, from: LearnedFrom,
/**
 * Tokens that are reported for each that would be counted.
 */
ratios: Array<LearnedRatio>, };

/**
 * How much is still told after a summary.
 */
export type LabGeneration = {
/**
 * The window's place, from 0.
 */
window: number, facts: number, alive: number, };

/**
 * How much of what was summarised can be read.
 */
export type LabTold = { facts: number,
/**
 * As they were, or in other words.
 */
factsTold: number,
/**
 * Of tables in the results of tools.
 */
rows: number, rowsTold: number,
/**
 * Names, ids and numbers in the results of tools, each once.
 */
values: number, valuesTold: number,
/**
 * Of the events, as google-adk's summariser spells them.
 */
characters: number,
/**
 * Of these, the ones that it cuts off.
 */
unreadCharacters: number,
/**
 * Calls and results that it cuts.
 */
nCut: number, };

/**
 * How one agent came after another.
 */
export type HandOffVia = "transfer" | "started" | "returned" | "flow";

/**
 * How the event table is sorted. Ties are in order of events.
 */
export type EventOrder = "inOrder" | "byLifetime" | "bySize";

/**
 * One change to a session's compile, by what it changes.
 *
 * As JSON or YAML: an object whose `edit` names the change, beside its fields; what it changes follows from the name.
 * These names are promised: commands, files of edits and stores use the same form.
 */
export type Edit = FlowEdit | AppEdit | EventsEdit | CompactionEdit;

/**
 * One configuration of a sweep.
 */
export type LabRow = {
/**
 * Its place in the grid, from 0.
 */
place: number, config: string,
/**
 * The two numbers of the heat map: interval and overlap, threshold and retention, or limit and keep.
 */
x: number, y: number, family: LabFamily, bill: LabBill,
/**
 * First calls that see each summary.
 */
atCalls: Array<number>,
/**
 * Values that later answers used and that only a summary could tell them: the most that can be regretted.
 */
regret: number, flags: Array<string>, };

/**
 * One configuration with one model.
 */
export type BatchCell = { config: string, writer: string, model: string | null, state: BatchCellState,
/**
 * What happened and what to do, where it has no result.
 */
note: string | null,
/**
 * When the run that was taken began, in epoch milliseconds.
 */
keptMs: number | null,
/**
 * The run, which the Lab shows.
 */
run: string | null,
/**
 * What it was expected to take.
 */
need: BatchNeed | null, written: number, expected: number,
/**
 * Summaries that were paid for before.
 */
fromBefore: number,
/**
 * What this batch had the model read and write for it.
 */
tokens: number,
/**
 * US dollars of these; null where the model has no price.
 */
costUsd: number | null, tokensPerS: number | null, seconds: number | null,
/**
 * Of the facts in what was summarised.
 */
kept: number | null, dropped: number | null,
/**
 * Values that later answers used and that no summary tells.
 */
regret: number | null,
/**
 * What was answered about its summaries; null where nothing was asked.
 */
answers: ProbeCounts | null,
/**
 * What the session would have come to.
 */
bill: LabBill | null, };

/**
 * One of the two sides.
 */
export type SideName = "a" | "b";

/**
 * One of the two.
 */
export type ComparedSide = { session: string, title: string, format: string, bill: Bill,
/**
 * Calls that lost something that could have been cached.
 */
breaks: number, };

/**
 * One part of the prompt as text.
 */
export type TextSegment = { path: string, address: string, kind: Kind, role: string, from: string, tokens: number, isReframed: boolean,
/**
 * At most 20,000 characters; the rest is fetched with `part/text`.
 */
text: string, isCut: boolean, };

/**
 * One step of "where it came from", from the source to the wire.
 */
export type ChainStep = {
/**
 * Colours the dot; none for the runtime's own steps.
 */
kind: Kind | null,
/**
 * What to open when the step is chosen.
 */
address: string | null,
/**
 * `E7`, `contents`, …: shown bold for events, in mono for processors.
 */
label: string, isCode: boolean, text: string,
/**
 * A second line in mono, such as a call with its arguments.
 */
code: string | null, };

/**
 * One way to meet all goals.
 */
export type LessonSolution = { title: string, edits: Array<Edit>,
/**
 * By the ids of goals.
 */
answers: { [key in string]: string }, numbers: LessonNumbers, };

/**
 * Questions about the summaries of every run, made of the facts they stand for. One model answers all of them, so that
 * runs can be set beside each other.
 */
export type BatchProbes = {
/**
 * About one run, spread over its summaries.
 */
questions: number,
/**
 * The name of an endpoint of `model/list`.
 */
writer: string, model: string | null, };

/**
 * Questions with an answer in one line and a view state that shows it.
 */
export type Question = "costliestToolResult" | "largestCalls" | "promptByKind" | "toolsNeverCalled" | "costliestTurn" | "costliestAgent" | "stageThatAddedMost" | "stagesThatDidNothing" | "whatGrewSincePreviousCall" | "hiddenContext" | "lookedUp" | "leftOut" | "reframed" | "stateShown" | "editEffect" | "whyMissed" | "dearestCalls" | "avoidableBreaks" | "stableShare" | "bestCacheFix" | "belowMinimum" | "compactionSavings";

/**
 * Rows of each store, as far as the session is compiled.
 */
export type StoreCounts = {
/**
 * Keys.
 */
state: number, artifacts: number,
/**
 * Searches.
 */
memory: number, agents: number,
/**
 * Runs.
 */
nodes: number, contexts: number, };

/**
 * Something a person should know about a file, a session or a stage.
 */
export type DiagnosticRow = { severity: DiagnosticSeverity, code: string, message: string,
/**
 * Path, line or byte in the source, or an address.
 */
at: string, };

/**
 * Something that a message stated that went.
 */
export type LostFact = {
/**
 * `constraint`, `decision`, `number` and others.
 */
kind: string, text: string,
/**
 * `kept`, `paraphrased` or `dropped`.
 */
verdict: string,
/**
 * The event that says it, from 1, in the session of the context.
 */
event: number,
/**
 * How many answers state it again after the message had gone, and the event of the first.
 */
usedLater: number, firstUse: number | null, };

/**
 * Something that was said or done.
 */
export type ConversationLine = {
/**
 * E1 is number 1.
 */
event: number,
/**
 * Who: an agent, or `user`.
 */
who: string, kind: LineKind,
/**
 * Of a call or a result.
 */
tool: string | null,
/**
 * Its beginning, where it is long.
 */
text: string, isCut: boolean, };

/**
 * Something worth a person's time: tokens that need not be sent, a prefix that need not break, something lost.
 */
export type FindingRow = { code: string, title: string, severity: DiagnosticSeverity,
/**
 * What happened in this session and why.
 */
message: string,
/**
 * What to change.
 */
advice: string,
/**
 * The same in the tool that wrote the session, where it has a setting for it.
 */
remedy: Remedy | null,
/**
 * Over the session; 0 where it cannot be told in tokens. Findings overlap.
 */
tokens: number, costUsd: number | null,
/**
 * "C4–C17", the first few.
 */
calls: string, };

/**
 * Stored sessions that told how a model is counted; the one that is counted may be among them.
 */
export type LearnedFrom = { sessions: number,
/**
 * Prompts that continue another one, both of them with a report.
 */
growths: number,
/**
 * ± of a count as a share of it, each session predicted from others.
 */
error: number, };

/**
 * Sums over a session. Answers of the agents are left out: they cost the same.
 */
export type LabBill = { promptTokens: number,
/**
 * Not found in a cache.
 */
billedTokens: number, cachedTokens: number,
/**
 * Put into a cache.
 */
writtenTokens: number, peakTokens: number, breaks: number, compactions: number,
/**
 * US dollars, with those of the summaries.
 */
costUsd: number | null, summaryCostUsd: number | null, summaryInputTokens: number, summaryOutputTokens: number,
/**
 * Until the first token, over all calls; an estimate with stated rates.
 */
latencyS: number, };

/**
 * Sums over calls, of what providers reported.
 */
export type UsageSums = {
/**
 * With a call of these, their sub-agents included.
 */
sessions: number,
/**
 * Those whose prompt is reported.
 */
calls: number,
/**
 * Reports on several calls together, which did not report their own.
 */
combinedReports: number,
/**
 * Calls that were answered and report no prompt: nothing of it is in these sums.
 */
unreportedCalls: number,
/**
 * All of the prompts: the next three add up to it.
 */
inputTokens: number, uncachedTokens: number,
/**
 * Read from a cache, and written to one.
 */
cachedTokens: number, cacheWriteTokens: number,
/**
 * Thoughts included.
 */
outputTokens: number,
/**
 * The share of the prompts that was read from a cache, from 0 to 1.
 */
cacheRatio: number,
/**
 * US dollars for all calls that have a price; absent where none has one.
 */
cost: number | null,
/**
 * `reported` where each report is of one call; `estimated` where some are of several, whose prompts may have been
 * long ones.
 */
costBasis: Basis,
/**
 * Calls and reports without a known price: they are not in the cost.
 */
unpricedCalls: number, };

/**
 * The answer to a call that waits for one.
 */
export type CallAnswer = { id: string,
/**
 * JSON, or else a text.
 */
answer: string, };

/**
 * The app configuration a session is compiled with.
 */
export type AppInfo = { name: string,
/**
 * Its requests are made by google-adk's rules, so Strata can run it.
 */
isAdk: boolean, isInferred: boolean,
/**
 * File it was read from, if any.
 */
source: string | null,
/**
 * What was inferred and what could not be, a sentence each.
 */
notes: Array<string>,
/**
 * Nothing says which model some agent called: `session/setModel` chooses one.
 */
namesNoModel: boolean,
/**
 * The model that was chosen: prompts are counted and priced as if sent to it.
 */
asIf: string | null,
/**
 * The files of the app's artifact service. None: what was in files is known only where it was recorded.
 */
artifacts: ServiceInfo | null,
/**
 * What the app remembers. None: what searches found is known only where it was recorded.
 */
memory: ServiceInfo | null, };

/**
 * The beginning of a summary that was cut off, stopped or given up. It is laid over no session.
 */
export type LabPartial = {
/**
 * The summary's number, from 1.
 */
number: number, text: string, };

/**
 * The call from which a session is run again.
 */
export type RunOrigin = {
/**
 * The session it was recorded in, or the experiment over it whose edits hold.
 */
session: string,
/**
 * The first call that a model answers.
 */
call: number,
/**
 * Calls before it that were answered as recorded.
 */
replayed: number,
/**
 * The turn of the call was not taken yet: say nothing, and it is.
 */
waits: boolean, };

/**
 * The calls that are compiled so far.
 */
export type CacheSummary = { calls: number,
/**
 * Of all calls of the session: fewer are compiled while that goes on.
 */
ofCalls: number,
/**
 * What they come to.
 */
bill: Bill,
/**
 * Tokens of the prompts that the rules would have found in the cache, whatever was reported.
 */
predictedTokens: number, lostTokens: number,
/**
 * Of the one break that re-billed most.
 */
mostRebilledTokens: number, avoidableBreaks: number,
/**
 * The dearest ones, a few of them.
 */
avoidableCalls: Array<number>, avoidableTokens: number, avoidableCostUsd: number | null,
/**
 * Causes that cannot be avoided, the most frequent first.
 */
otherCauses: Array<CauseCount>,
/**
 * What providers say, of the calls where they do.
 */
reported: CacheReportSummary | null,
/**
 * Names of the rules that were applied.
 */
rules: Array<string>,
/**
 * Every model has a rule of its own.
 */
isRuleKnown: boolean, };

/**
 * The content of an event as it was recorded, beside the one an experiment gave it.
 */
export type RecordedContent = {
/**
 * As recorded.
 */
size: TokenCount, parts: Array<EventPart>,
/**
 * From the recorded content to the edited one, line by line.
 */
difference: PartDiff, };

/**
 * The costliest finding of a session.
 */
export type SessionWaste = {
/**
 * Of its costliest finding, in each of its files; 0 where nothing was found.
 */
tokens: number, cost: number | null,
/**
 * Where to look first.
 */
worstCall: number | null,
/**
 * What it is.
 */
title: string | null, };

/**
 * The form in which a provider takes requests.
 */
export type Api = "chatCompletions" | "responses" | "gemini" | "anthropic";

/**
 * The gateway of this program.
 */
export type CaptureState = {
/**
 * While it listens.
 */
listening: Listening | null,
/**
 * On what requests are held.
 */
holds: Array<string>,
/**
 * The oldest first.
 */
held: Array<HeldRequest>,
/**
 * The newest first; the last hundred.
 */
exchanges: Array<Exchange>,
/**
 * Since it began to listen, or while it last did.
 */
nExchanges: number, bytesSent: number, bytesReceived: number, telemetry: TelemetryTaken,
/**
 * What grows while it listens.
 */
sessions: Array<SessionRow>,
/**
 * Sessions that have passed the budget of the settings, and those of which nobody can know.
 */
budgetWords: Array<BudgetWord>, };

/**
 * The longest prompt that a model takes. None where that is not known, or where a prompt of the agent was longer:
 * another window was in force then.
 */
export type ContextWindow = { model: string, tokens: number,
/**
 * Who says so.
 */
source: string, };

/**
 * The one error commands return.
 */
export type AppError = { code: ErrorCode,
/**
 * What happened, what was kept, what to do.
 */
message: string,
/**
 * For "Details": the chain of causes.
 */
detail: string | null, };

/**
 * The order of breaks.
 */
export type BreakOrder = "byCost" | "inOrder";

/**
 * The prompts of a session, with the bounds of what is not reported.
 */
export type CalibratedTotal = { tokens: number, low: number, high: number,
/**
 * Calls without a report.
 */
calls: number, };

/**
 * The request a script is tried on.
 */
export type ScriptTarget = { session: string, call: number,
/**
 * The processor it would stand before; absent: where scripts belong.
 */
before: string | null, };

/**
 * The rule by which a prediction was made.
 */
export type CacheRuleInfo = { name: string,
/**
 * It is one for this model, not an assumption.
 */
isKnown: boolean,
/**
 * Nothing is promised: the prediction is the most that can be found.
 */
isBestEffort: boolean, minimumTokens: number, blockTokens: number, lifetimeS: number | null, source: string, seenOn: string, note: string | null, };

/**
 * Tokens of a kind on both sides.
 */
export type KindDifference = { kind: Kind, a: number, b: number, };

/**
 * Tokens of one kind.
 */
export type KindTokens = { kind: Kind, tokens: number, };

/**
 * Tool results that gave way to a note.
 */
export type LabCleared = { beforeCall: number,
/**
 * Addresses.
 */
events: Array<string>, };

/**
 * US dollars per million tokens.
 */
export type PriceInfo = { model: string, input: number, cachedRead: number, output: number,
/**
 * Where the price is from and when it was seen.
 */
source: string, };

/**
 * What a batch is asked.
 */
export type BatchChoice = { session: string, configs: Array<string>, models: Array<BatchModel>,
/**
 * In place of google-adk's summary prompt; with `{conversation_history}` in it.
 */
prompt: string | null, budget: BatchBudget,
/**
 * Absent: nothing is asked about summaries.
 */
probes: BatchProbes | null, };

/**
 * What a cell would take.
 */
export type BatchNeed = { summaries: number,
/**
 * Of prompts and answers; those that were paid for before are not in it.
 */
tokens: number,
/**
 * US dollars; null where the model has no price.
 */
costUsd: number | null, seconds: number, };

/**
 * What a fix saves over all calls, as far as it was replayed.
 */
export type Saving = { of: SavedTokens,
/**
 * Less than without it.
 */
tokens: number,
/**
 * US dollars less; absent where a model has no price.
 */
costUsd: number | null, };

/**
 * What a model costs, in US dollars per million tokens. Long prompts may cost more.
 */
export type UsagePrice = {
/**
 * As calls name it.
 */
model: string, input: number, cachedRead: number, cacheWrite: number | null,
/**
 * For the longer of two lifetimes.
 */
cacheWriteLong: number | null, output: number, source: string,
/**
 * The day the source was read; empty for a price of one's own.
 */
seenOn: string, };

/**
 * What a model could answer from a summary.
 */
export type LabProbes = { rows: Array<LabProbe>, isEnded: boolean,
/**
 * What happened, what was kept.
 */
failure: string | null, kept: number, lost: number,
/**
 * The events do not tell it either.
 */
unanswered: number,
/**
 * The events tell it, and the model did not find it in them: that says nothing of the summary.
 */
missed: number, };

/**
 * What a model is asked about a window of a run.
 */
export type ProbeChoice = { run: string,
/**
 * The window's place in it, from 0.
 */
window: number,
/**
 * So many questions are made of the window's facts.
 */
facts: number,
/**
 * Questions that a person wrote.
 */
questions: Array<string>,
/**
 * The name of an endpoint of `model/list`.
 */
writer: string, model: string | null, };

/**
 * What a number rests on, best first.
 */
export type Basis = "reported" | "exact" | "calibrated" | "estimated";

/**
 * What a parameter is typed into.
 */
export type ParamInput = { "kind": "integer", min: number,
/**
 * Absent: without an end.
 */
max: number | null, } | { "kind": "text" } | { "kind": "choice", words: Array<string>, } | { "kind": "words" } | { "kind": "code" };

/**
 * What a person chose. Stored in the database; absent values mean the default.
 */
export type Settings = { theme: Theme,
/**
 * Interface size in percent, 90 to 200.
 */
zoomPercent: number,
/**
 * Row height: 22 px, or 28 px when comfortable.
 */
isComfortable: boolean,
/**
 * Patterns beside colours for the kinds.
 */
hasPatterns: boolean,
/**
 * The bar that introduces the sample was dismissed.
 */
isSampleBarDismissed: boolean,
/**
 * Shortcuts already used three times, whose hints may go.
 */
learnedKeys: Array<string>,
/**
 * Keys, tokens and passwords are masked in everything that is shown. Exports have a switch of their own.
 */
masksSecrets: boolean,
/**
 * What a session may take before a person is told, while the gateway hears it.
 */
budget: SessionBudget, };

/**
 * What a person said of a place.
 */
export type PlaceChoice = "open" | "read" | "leave";

/**
 * What a person writes in the tool that made the session.
 */
export type LabOwnSetting = {
/**
 * "google-adk", "Codex".
 */
tool: string,
/**
 * A line to copy; null: the configuration in google-adk's terms.
 */
text: string | null,
/**
 * Where it goes: `~/.codex/config.toml`.
 */
place: string | null, };

/**
 * What a row is of.
 */
export type UsageBy = "day" | "project" | "model" | "tool" | "session";

/**
 * What a run has taken.
 */
export type Spent = {
/**
 * Of prompts and answers, as reported, or by our count.
 */
tokens: number,
/**
 * US dollars, where the price is known; of scripted answers, what the agents' own models would have taken.
 */
dollars: number, };

/**
 * What a run may take; 0 for as much as it wants.
 */
export type Limits = {
/**
 * Calls of models in one turn.
 */
calls: number,
/**
 * Tokens of prompts and answers.
 */
tokens: number,
/**
 * US dollars.
 */
dollars: number, };

/**
 * What a run would take.
 */
export type LabEstimate = { endpoint: string, model: string,
/**
 * Where it would be sent.
 */
address: string, summaries: number,
/**
 * Summaries that were paid for before, and are not asked for again.
 */
fromBefore: number, inputTokens: number, inputBasis: Basis,
/**
 * Who counted them: "counted by the server"; empty where nothing would be sent.
 */
inputSaid: string,
/**
 * What of them the server should find again: of what was sent to it from here, and of one another.
 */
cached: TokenCount,
/**
 * Seconds until the first token, by how fast this server was; null as long as it was not asked.
 */
firstTokenS: number | null,
/**
 * As large as summaries are taken to be.
 */
outputTokens: number,
/**
 * Where that size is from: "stated", "fitted to 4 summaries", "assumed".
 */
outputBasis: string,
/**
 * US dollars; null where the model has no price.
 */
costUsd: number | null,
/**
 * With usual rates, one summary after the other.
 */
seconds: number,
/**
 * Prompts that are longer than the model takes, and that are not sent.
 */
tooLong: number,
/**
 * The longest prompt with its answer that the model takes, in tokens, where that is known.
 */
contextTokens: number | null,
/**
 * Nobody is paid: the server runs on this computer.
 */
isFree: boolean, };

/**
 * What a stage's parts are compared with.
 */
export type CompareWith = "stageBefore" | "previousCall";

/**
 * What a sweep gave so far.
 */
export type LabSweep = { grid: string,
/**
 * Configurations of the grid.
 */
total: number,
/**
 * No more rows come. There are fewer than configurations where it was stopped.
 */
isEnded: boolean,
/**
 * Without any summary.
 */
unchanged: LabBill,
/**
 * What there is to beat: the recording, its own summaries paid for.
 */
recorded: LabBill, unchangedTokens: Array<number>,
/**
 * In the order in which they came; all of them at the end, in that of the grid.
 */
rows: Array<LabRow>,
/**
 * Places in the grid of the rows that none beats in cost, peak and regret together, the cheapest first. Empty until
 * it ended.
 */
front: Array<number>,
/**
 * The place in the grid of the row to take; null: none beats the recording, or it has not ended.
 */
recommended: number | null,
/**
 * Why, in a sentence or two; empty until it ended.
 */
reason: string,
/**
 * Where the size of summaries is from: "stated", "fitted to 4 summaries", "assumed".
 */
sizeBasis: string,
/**
 * The rates behind the latency.
 */
readTokensPerS: number, cachedTokensPerS: number, writtenTokensPerS: number, };

/**
 * What an edit of the experiment made of an event.
 */
export type EventEdit = "edited" | "dropped" | "pinned";

/**
 * What became of a part.
 */
export type Fate = "kept" | "reframed" | "dropped" | "added";

/**
 * What became of the facts of a window.
 */
export type LabLoss = {
/**
 * Of rows, values and facts, and of what reached the summariser.
 */
told: LabTold,
/**
 * The same in sentences.
 */
said: string, total: number, kept: number, paraphrased: number, dropped: number, lostShare: number, summary: string, items: Array<LabFact>, };

/**
 * What calls come to, in their providers' tokens: as it was reported for these very requests where it was, predicted
 * and calibrated elsewhere.
 */
export type Bill = { calls: number,
/**
 * Of these, calls whose prompt is reported.
 */
reportedCalls: number,
/**
 * Of these, calls that failed without a report, or whose answer is not recorded, and the tokens of their prompts:
 * nobody is known to have paid for them, and nothing of them is cached, written or in the cost.
 */
unpaidCalls: number, unpaidTokens: number,
/**
 * All of the prompts: what is counted and what is hidden, less what is counted too much.
 */
promptTokens: number,
/**
 * The weakest of all calls.
 */
basis: Basis,
/**
 * What is known of the prompts, our count.
 */
countedTokens: number, countedBasis: Basis,
/**
 * What providers counted beyond that: of known size and unknown text. It stands first in the prompts.
 */
hiddenTokens: number, overcountedTokens: number,
/**
 * Of the prompts, read from a cache.
 */
cachedTokens: number,
/**
 * Calls of which it is reported what was read from a cache; of the others it is predicted, but for those of which a
 * report says nothing of that: of them nothing is known to be read from one.
 */
cacheReportedCalls: number, cacheUnsaidCalls: number,
/**
 * Written to a cache for the provider's shorter lifetime, and for the longer one.
 */
writtenTokens: number, writtenLongTokens: number,
/**
 * Reported of answers, thoughts included.
 */
outputTokens: number,
/**
 * US dollars of prompts, answers and summaries; absent when a model has no known price.
 */
cost: number | null,
/**
 * Calls whose model has no known price. Where that is some of them, US dollars of all else.
 */
unpricedCalls: number, partialCost: number | null,
/**
 * Of `cost`, for hidden context, and for answers.
 */
hiddenCost: number | null, outputCost: number | null,
/**
 * For writing summaries of the history, which are no calls of the session: of the sums above, only the cost has it.
 */
summaries: SummaryBill, };

/**
 * What calls used. A call that several files tell of counts once.
 */
export type Usage = { by: UsageBy,
/**
 * The first and the last day that was asked for.
 */
since: string | null, until: string | null,
/**
 * The zone of the days, by its name where it has one.
 */
timezone: string,
/**
 * Days from the first to the last; others with most tokens first.
 */
rows: Array<UsageRow>, total: UsageSums,
/**
 * Calls that are in no row, by why they are not.
 */
apart: Array<UsageApart>,
/**
 * Records of calls that are told of more than once, in one file or several: they are in no sum.
 */
repeatedCalls: number,
/**
 * Calls that failed, or whose answer is not recorded: nobody is known to have paid for them.
 */
unpaidCalls: number,
/**
 * Calls without a time, which are left out where days were asked for.
 */
undatedCalls: number,
/**
 * What the models of these calls cost.
 */
prices: Array<UsagePrice>,
/**
 * Models without a known price, and what they were asked without one.
 */
unpriced: Array<UnpricedModel>,
/**
 * What was read.
 */
places: Array<UsagePlace>, files: UsageFiles,
/**
 * Those that say the same of many files stand there once.
 */
diagnostics: Array<DiagnosticRow>, };

/**
 * What came of a goal.
 */
export type GoalGrade = { goal: string, text: string, isMet: boolean, measured: string, wanted: string,
/**
 * What the measured number rests on; null where it is no number of tokens or dollars.
 */
basis: Basis | null, };

/**
 * What came of a script.
 */
export type ScriptReport = {
/**
 * The stage; empty for a script that only was read.
 */
stage: string, failure: ScriptFailure | null, console: Array<ConsoleLine>,
/**
 * Tokens of the request before and after; absent for a script that only was read.
 */
tokens: ScriptTokens | null, };

/**
 * What came of an attempt.
 */
export type LessonGrade = { goals: Array<GoalGrade>, isSolved: boolean,
/**
 * Markdown; absent until the lesson is solved.
 */
explanation: string | null,
/**
 * What the session comes to with the edits, and as it was recorded.
 */
numbers: LessonNumbers, recorded: LessonNumbers, };

/**
 * What came since Home was looked at last.
 */
export type HomeNews = {
/**
 * Epoch milliseconds.
 */
sinceMs: number,
/**
 * With a call of these, their sub-agents included.
 */
sessions: number,
/**
 * Those whose prompt is reported.
 */
calls: number,
/**
 * Reports on several calls together, which did not report their own.
 */
combinedReports: number,
/**
 * Calls that were answered and report no prompt: nothing of it is in these sums.
 */
unreportedCalls: number,
/**
 * All of the prompts: the next three add up to it.
 */
inputTokens: number, uncachedTokens: number,
/**
 * Read from a cache, and written to one.
 */
cachedTokens: number, cacheWriteTokens: number,
/**
 * Thoughts included.
 */
outputTokens: number,
/**
 * The share of the prompts that was read from a cache, from 0 to 1.
 */
cacheRatio: number,
/**
 * US dollars for all calls that have a price; absent where none has one.
 */
cost: number | null,
/**
 * `reported` where each report is of one call; `estimated` where some are of several, whose prompts may have been
 * long ones.
 */
costBasis: Basis,
/**
 * Calls and reports without a known price: they are not in the cost.
 */
unpricedCalls: number, };

/**
 * What can be done about a break.
 */
export type BreakNature = "avoidable" | "structural" | "provider";

/**
 * What clients told of themselves, in the same time.
 */
export type TelemetryTaken = { nBatches: number,
/**
 * Spans and log records that were written.
 */
nRecords: number,
/**
 * Batches that are not written whole.
 */
nWithProblems: number,
/**
 * Why the last of them is not.
 */
lastProblem: string | null, };

/**
 * What edits do to a whole session.
 */
export type Effect = {
/**
 * Calls that were compared, of all calls: fewer where time ran out.
 */
callsCompared: number, calls: number, callsChanged: number, tokensBefore: number, tokensAfter: number,
/**
 * Tokens that match the earlier prompt of the same agent.
 */
cachedBefore: number, cachedAfter: number,
/**
 * US dollars for the prompts, cached at the price of cached reads; absent when a model has no price.
 */
costBeforeUsd: number | null, costAfterUsd: number | null, breaksBefore: number, breaksAfter: number, };

/**
 * What edits do to one call.
 */
export type CallEffect = { call: number, tokensBefore: number, tokensAfter: number,
/**
 * The first stage that gave something else; absent when the request is the same.
 */
firstChangedStage: string | null,
/**
 * Stages that ran again.
 */
stagesRun: number, stages: number, };

/**
 * What edits promised, beside what came of them: sums over the calls of A that were made again in B.
 */
export type EditsPromise = {
/**
 * A without its edits.
 */
recorded: Bill,
/**
 * A with them.
 */
promised: Bill,
/**
 * B.
 */
really: Bill,
/**
 * All of it in a sentence.
 */
sentence: string, };

/**
 * What ended a turn.
 */
export type RunProblem = {
/**
 * The name google-adk has for it, or Strata.
 */
code: string, message: string, };

/**
 * What happened to a part.
 */
export type PartChange = "added" | "leftOut" | "rewritten" | "moved" | "unchanged";

/**
 * What is known of a session without opening it.
 */
export type SessionRow = {
/**
 * The folder it was recorded in, where its file says so.
 */
folder: string | null, compactions: number,
/**
 * Absent where providers reported nothing, and where the session was stored by a version that did not add it up.
 */
reported: ReportedCalls | null,
/**
 * The store's own id, used by every other command.
 */
session: string, title: string,
/**
 * `ADK session`, `Claude Code transcript`, …
 */
format: string,
/**
 * Where it was read from; empty for the bundled sample.
 */
source: string, events: number, calls: number,
/**
 * Epoch milliseconds of the last event, if known.
 */
lastEventMs: number | null,
/**
 * Epoch milliseconds; absent when never opened.
 */
openedMs: number | null, isSample: boolean, };

/**
 * What is known of a value at a call.
 */
export type ValueState = "known" | "absent" | "notRecorded" | "gone";

/**
 * What it took to have summaries written that are no calls of a session.
 */
export type SummaryBill = { summaries: number,
/**
 * Of these, summaries of which it is reported. Others are estimated by what they are made of.
 */
reported: number,
/**
 * Summaries of which nothing is known, and which are in no sum.
 */
unbilled: number, inputTokens: number, cachedTokens: number, outputTokens: number,
/**
 * US dollars; absent where the model that wrote one has no known price.
 */
cost: number | null, };

/**
 * What looks like a key in the store.
 */
export type KeptSecrets = {
/**
 * Different values in all.
 */
values: number,
/**
 * The most frequent first.
 */
kinds: Array<SecretKind>,
/**
 * Sessions that have some, the one with the most first.
 */
sessions: Array<SessionSecrets>, };

/**
 * What may be spent; no limit where both are absent.
 */
export type BatchBudget = { usd: number | null,
/**
 * Of prompts and answers, whoever is asked.
 */
tokens: number | null, };

/**
 * What of a client comes to the gateway.
 */
export type CaughtBy = "requests" | "telemetry" | "both";

/**
 * What one difference is.
 */
export type DifferenceKind = "rewritten" | "replaced" | "leftOut" | "inserted" | "continued";

/**
 * What providers reported of a session's calls. Nothing of it is counted or predicted.
 */
export type ReportedCalls = {
/**
 * Calls with a report, of all calls.
 */
calls: number,
/**
 * Calls without one that failed or have no recorded answer: nobody is known to have paid for them.
 */
unpaidCalls: number, promptTokens: number,
/**
 * Absent where no report says anything of a cache.
 */
cachedTokens: number | null,
/**
 * Thoughts included.
 */
outputTokens: number, largestPrompt: number,
/**
 * Those that answered, by name.
 */
models: Array<string>,
/**
 * US dollars for all calls; absent when one is not reported, or its model has no known price.
 */
cost: number | null,
/**
 * Why output counts of its file are not to be trusted, if so.
 */
caveat: string | null, };

/**
 * What providers reported over the whole session.
 */
export type ReportedUsage = { inputTokens: number, cachedTokens: number, cacheWriteTokens: number, outputTokens: number,
/**
 * Calls with a report, of all calls.
 */
calls: number,
/**
 * Why output counts of this file are not to be trusted, if so.
 */
caveat: string | null, };

/**
 * What the cache makes of a stretch of a prompt.
 */
export type CacheZone = "stable" | "belowMinimum" | "unmarked" | "expired" | "evicted" | "variable";

/**
 * What the causes are ranked by.
 */
export type CauseRanking = "tokens" | "cost";

/**
 * What the other implementation says. Each text is asked about once; media and framing are no texts.
 */
export type Verification = {
/**
 * What both count with.
 */
vocabulary: string,
/**
 * `null` where nothing else counts by this vocabulary; then nothing was asked.
 */
referee: string | null, texts: number,
/**
 * Our count of these by the vocabulary, before it is translated to the model's tokens where that differs.
 */
tokens: number,
/**
 * Our count of those that are counted the same.
 */
agreedTokens: number, differing: Array<DisputedText>, declined: Array<DeclinedText>,
/**
 * All this in a sentence or two.
 */
message: string, };

/**
 * What the parts of a prompt rest on.
 */
export type RequestBasis = "recorded" | "recompiled";

/**
 * What the provider said, beside the prediction in its own tokens.
 */
export type ReportedCache = { promptTokens: number, cachedTokens: number, writtenTokens: number | null, predictedTokens: number,
/**
 * Why they differ by more than a block; absent where they do not.
 */
difference: string | null, isExplained: boolean, };

/**
 * What the retention of a context has done to its messages.
 */
export type RetentionLoss = {
/**
 * Messages that were said and that are no longer kept.
 */
said: number, gone: number, isSummarised: boolean,
/**
 * What the messages that went stated, by what the summary tells of it.
 */
kept: number, paraphrased: number, dropped: number,
/**
 * Of what was dropped: how much answers stated again when it was not sent any more.
 */
used: number,
/**
 * The share of what was lost, by weight.
 */
lostShare: number,
/**
 * The first of them; dropped ones first, the heaviest first.
 */
facts: Array<LostFact>,
/**
 * What is in no number here, and how many of those that are gone agents were still sent with the last request.
 */
gap: string | null, };

/**
 * What the session of a lesson comes to, with some edits or without.
 */
export type LessonNumbers = { bill: Bill,
/**
 * Prefixes that break.
 */
breaks: number, };

/**
 * What the window is told without asking. It asks for the rest.
 */
export type Notification = { "type": "job", job: Job, } | { "type": "sessions" } | { "type": "changed", session: string, } | { "type": "begun", session: string, after: Array<string>, } | { "type": "analysis", session: string, compiledCalls: number, calls: number, } | { "type": "findings", session: string, } | { "type": "run", run: string, } | { "type": "home" } | { "type": "capture" } | { "type": "open", session: string, } | { "type": "lesson", lesson: string, } | { "type": "missed" };

/**
 * What to change in the tool that wrote the session, as one writes it there.
 */
export type Remedy = {
/**
 * A line to copy: a setting, a command, a sentence for the instructions.
 */
text: string,
/**
 * Where it goes: `~/.codex/config.toml`.
 */
place: string,
/**
 * Where it is documented.
 */
source: string, };

/**
 * What was found in sessions that need not have been: of each session its costliest finding, as findings overlap. So much at
 * least, as an estimate.
 */
export type HomeWaste = { tokens: number,
/**
 * US dollars, for the sessions where they are known; absent where there is none.
 */
cost: number | null,
/**
 * Sessions that were looked through.
 */
examinedSessions: number, };

/**
 * What was predicted of prompts before each of them was sent, beside what was reported of them.
 */
export type LabPrompts = { predictedTokens: number, reportedTokens: number,
/**
 * Tokens that should be found in the server's cache.
 */
predictedCachedTokens: number,
/**
 * Those it says it found; null where it says nothing of a cache.
 */
reportedCachedTokens: number | null,
/**
 * All of it was predicted in the server's own tokens.
 */
isExact: boolean, };

/**
 * Where a part stands in a request.
 */
export type PartPlace = { content: number, part: number, };

/**
 * Where a recording names a context.
 */
export type ContextSighting = {
/**
 * From 1.
 */
event: number,
/**
 * The call that it is the answer to; null for others.
 */
call: number | null, atMs: number, door: string,
/**
 * `argument of get_products`, `header X-Context-ID`.
 */
place: string,
/**
 * Whether it came in with a request, and not back with an answer.
 */
isIn: boolean, };

/**
 * Where a token came from, the one thing that has a hue. In the order of the legend.
 */
export type Kind = "tools" | "system" | "memory" | "summary" | "user" | "model" | "result";

/**
 * Where clients are pointed.
 */
export type Listening = {
/**
 * `http://127.0.0.1:PORT/t/TOKEN`
 */
base: string,
/**
 * The file that everything is written to.
 */
log: string, upstreams: Array<Provider>, recipes: Array<Recipe>, };

/**
 * Where models are asked.
 */
export type Endpoint = { name: string, api: Api,
/**
 * `https://api.openai.com/v1`.
 */
baseUrl: string,
/**
 * The model to ask where nobody says another.
 */
model: string | null,
/**
 * Sent with every request. Keys have no place here: `model/setKey` keeps them.
 */
headers: Array<Header>,
/**
 * The environment variable that holds its key.
 */
keyVariable: string | null,
/**
 * The longest prompt with its answer, in tokens; null: as the server tells. A longer one is not sent.
 */
contextTokens: number | null,
/**
 * Seconds that an answer may take to begin; null: five minutes.
 */
firstByteS: number | null,
/**
 * The name of the rule by which what it finds again is predicted; null: as the server tells, else by the model.
 */
cacheRule: string | null,
/**
 * Prompts that it holds side by side, where its rule goes by slots; null: as many as there are.
 */
slots: number | null,
/**
 * It is asked how many tokens a prompt has before that is sent, if it can tell: the whole prompt goes to it.
 * llama.cpp and vLLM on this computer are asked without it.
 */
countsTokens: boolean, };

/**
 * Where something stood in prompts, and what it cost there.
 */
export type Carried = {
/**
 * Calls whose prompt holds it.
 */
calls: number, ranges: Array<CallRange>,
/**
 * In the last of them.
 */
tokens: number,
/**
 * In all of them, and of these what a provider had seen before.
 */
lifetimeTokens: number, cachedTokens: number,
/**
 * US dollars; null where one of the calls has no price.
 */
costUsd: number | null,
/**
 * The first call after it had left the prompts again; null while it stands in the last one.
 */
leftAt: number | null,
/**
 * Calls whose prompt held something that is not known and may have been this: they are in no number above.
 */
unknownCalls: number, };

/**
 * Where something that a session is compiled with was read from.
 */
export type ServiceInfo = {
/**
 * A folder or file on this computer.
 */
path: string,
/**
 * It lay beside the session, and nobody named it.
 */
isFound: boolean,
/**
 * Files that the session can see, or things that are remembered.
 */
items: number, };

/**
 * Whether the file of a session is read again whenever it changes.
 */
export type FollowState = { isOn: boolean,
/**
 * Why what the file holds just now could not be read. What was read before stays.
 */
problem: string | null,
/**
 * Why it cannot be followed.
 */
impossible: string | null, };

/**
 * Which contexts are listed.
 */
export type ContextFilter = "all" | "openTasks" | "expiring" | "named";

/**
 * Who shares a key, by its prefix.
 */
export type KeyScope = "session" | "user" | "app" | "temp";

/**
 * Who writes summaries that cost nothing.
 */
export type OfflineSummaries = "sized" | "extractive";

/**
 * Why a command failed. A variant exists because some caller acts on it.
 */
export type ErrorCode = "notFound" | "badInput" | "unreadable" | "store" | "provider" | "notCompiled" | "internal";

/**
 * Why a script gave no request. The request then goes on as it was.
 */
export type ScriptFailure = {
/**
 * `syntax`, `thrown`, `time`, `memory`, `stack` or `result`.
 */
code: string, message: string,
/**
 * Counts from 1.
 */
line: number | null, column: number | null,
/**
 * A call a line, the innermost first.
 */
stack: string, };

/**
 * Words of an agent that are coming in.
 */
export type Saying = { agent: string, text: string, };

/**
 * `session/import` with its path reads what is in it.
 */
export type PlaceRow = {
/**
 * The tool that writes it.
 */
tool: string, path: string,
/**
 * Files that are sessions, or lists of them, by their names.
 */
files: number,
/**
 * There are more files, which were not counted.
 */
isCapped: boolean,
/**
 * Of these files.
 */
bytes: number,
/**
 * Whether Home may read it.
 */
choice: PlaceChoice,
/**
 * A person named it; no tool is known to write it.
 */
isOwn: boolean,
/**
 * Its files are other tools' sessions, rendered as text: Home leaves them out.
 */
isRendered: boolean,
/**
 * Epoch milliseconds of the file that was written last, if known.
 */
newestMs: number | null, };

export type AgentPage = { agents: Array<AgentRow>,
/**
 * Hand-offs, and of these the ones whose first call found nothing in a cache.
 */
total: number, uncached: number, rows: Array<HandOffRow>, };

export type AgentRow = { name: string,
/**
 * Agents above it.
 */
depth: number,
/**
 * Of its last call; empty where it made none.
 */
model: string,
/**
 * Tools that were declared in its last call.
 */
tools: number, bill: Bill, };

export type AgentState = "notRun" | "running" | "held" | "asks" | "done";

export type AgentSummary = { name: string, model: string, calls: number, events: number,
/**
 * Taken from the events, not from a configuration.
 */
isInferred: boolean,
/**
 * Of the model that its last compiled call was sent to.
 */
contextWindow: ContextWindow | null, };

export type Answer = {
/**
 * "E7 search_logs, 11,940 tokens in 14 calls, 167k".
 */
text: string,
/**
 * What to select, if the answer is one place.
 */
address: string | null,
/**
 * Filter and order of the event table that show the rows behind the answer.
 */
filter: string | null, order: EventOrder | null, };

export type ApartReason = "relayed" | "summaries";

export type ArtifactsPage = {
/**
 * Rows on all pages.
 */
total: number,
/**
 * By name.
 */
rows: Array<FileRow>,
/**
 * The list of names that a tool puts into prompts.
 */
list: Carried | null,
/**
 * Files that no prompt holds; one that may have stood where a prompt is not known is none of them.
 */
neverLoaded: number,
/**
 * What the recording does not hold, in a sentence.
 */
gap: string | null, };

export type BatchCellState = "waiting" | "running" | "asking" | "done" | "kept" | "leftOut" | "stopped" | "failed";

export type BatchList = { rows: Array<BatchRow>, };

export type BatchPlan = { cells: Array<BatchPlanCell>,
/**
 * Of all cells that would be run.
 */
tokens: number,
/**
 * US dollars; null where some model has no price.
 */
costUsd: number | null, seconds: number,
/**
 * Cells that are not expected to fit into the budget.
 */
nLeftOut: number,
/**
 * Cells whose runs are stored.
 */
nKept: number,
/**
 * Why it cannot be run so, and what to do; null where it can.
 */
refusal: string | null, };

export type BatchPlanCell = { config: string, writer: string, model: string | null, need: BatchNeed,
/**
 * When the run that would be taken began, in epoch milliseconds; null where it would be run.
 */
keptMs: number | null,
/**
 * Why it is not expected to fit.
 */
leftOut: string | null, };

export type BatchStarted = { batch: string, job: string, };

export type BreakDetail = { row: BreakRow,
/**
 * In a sentence.
 */
sentence: string,
/**
 * The processor whose result differs first.
 */
stage: string | null,
/**
 * The part in which the first difference stands.
 */
address: string | null,
/**
 * What to change in the tool that wrote the session, where it has a setting for it.
 */
remedy: Remedy | null,
/**
 * What led to it, from what happened to the end of the prefix.
 */
chain: Array<ChainStep>, couldHaveTokens: number, };

export type BreakPage = { total: number, rows: Array<BreakRow>, summary: CacheSummary, };

export type BreakRow = { call: number, agent: string,
/**
 * `state_in_instruction`, `hand_off`, …
 */
cause: string,
/**
 * "state in the instruction".
 */
title: string,
/**
 * "hits 41 → 2,318".
 */
detail: string, nature: BreakNature,
/**
 * Where the prefix ends, in tokens of the later prompt.
 */
atToken: number,
/**
 * Tokens that are paid in full and could have been found: by the report where there is one, else as predicted.
 */
rebilledTokens: number, isReported: boolean,
/**
 * The same as it is predicted.
 */
predictedTokens: number, costUsd: number | null, previousCall: number, };

export type CacheFix = {
/**
 * `move_behind_history`, `drop_value`, …
 */
kind: string, agent: string, title: string,
/**
 * Codes of the causes it is a remedy for.
 */
causes: Array<string>,
/**
 * Tokens less that are paid in full, over all calls.
 */
savesTokens: number, savesCostUsd: number | null,
/**
 * Prompts that would be sent differently.
 */
changedPrompts: number,
/**
 * Edits that do it, for `experiment/edit`; empty where no edit does.
 */
edits: Array<Edit>, };

export type CacheReportSummary = { calls: number, promptTokens: number, cachedTokens: number,
/**
 * For the same calls, in the provider's own tokens.
 */
predictedTokens: number,
/**
 * Calls of which report and prediction differ by more than a block, and of these the unexplained ones.
 */
differingCalls: number, unexplainedCalls: number, };

export type CacheRuleRow = { rule: CacheRuleInfo,
/**
 * The longest lifetime that a request can ask for, in seconds.
 */
longestLifetimeS: number | null,
/**
 * Only prefixes that end at a mark are found.
 */
needsMarks: boolean, };

export type CallCacheDetail = { call: number, agent: string, model: string,
/**
 * What the call comes to.
 */
bill: Bill,
/**
 * Tokens of the prompt that the rule would have found in the cache, whatever was reported.
 */
predictedTokens: number,
/**
 * They were stored by another session of the same source.
 */
isFromElsewhere: boolean,
/**
 * The call before it in its lineage: the same agent, model and branch.
 */
previous: PreviousCall | null, prefixBreak: BreakDetail | null,
/**
 * From the beginning of the prompt to its end.
 */
zones: Array<ZoneRow>, reported: ReportedCache | null, rule: CacheRuleInfo, };

export type CallDetail = { call: number, agent: string, model: string, invocation: string, branch: string | null,
/**
 * Turn: invocations counted from 1.
 */
turn: number,
/**
 * Event number of the answer, if it was stored.
 */
answerEvent: number | null,
/**
 * Events 1 to this number were in the session when the call was made.
 */
eventsBefore: number, prompt: TokenCount,
/**
 * Whether the prompt is what was really sent or what was compiled.
 */
requestBasis: RequestBasis,
/**
 * Where the provider reported nothing for this call: what it is likely to have counted, from what it reported for
 * requests that were sent to this model from here. None while too little is known.
 */
calibrated: TokenCount | null,
/**
 * What the call comes to.
 */
bill: Bill, reportedOutputTokens: number | null, byKind: Array<KindTokens>, startedMs: number | null,
/**
 * Why the prefix broke at this call, in one sentence, with the token at which it ends.
 */
prefixBreak: PrefixBreak | null,
/**
 * What failed, if the call could not be compiled: message, and what to do.
 */
error: DiagnosticRow | null,
/**
 * What the session does not hold and the prompt may therefore lack.
 */
unknowns: Array<string>,
/**
 * What was found about this call, the costliest first. Empty until every call is compiled.
 */
findings: Array<FindingRow>, };

export type CaptureDecision = "go" | "step" | "goFreely" | "refuse";

export type CarriedBy = {
/**
 * The first call of the run, and its last one.
 */
from: number, to: number,
/**
 * In each of them.
 */
tokens: number, cachedTokens: number, };

export type CauseCount = { title: string, breaks: number, };

export type ChosenPlace = { path: string, choice: PlaceChoice, };

export type ComparedCall = { call: number, agent: string, isChanged: boolean, tokensA: number, tokensB: number, cachedA: number, cachedB: number, costAUsd: number | null, costBUsd: number | null,
/**
 * The prefix ends before the end of the earlier prompt.
 */
breaksA: boolean, breaksB: boolean, };

export type Comparison = {
/**
 * "before" is `a`.
 */
effect: Effect, total: number, rows: Array<ComparedCall>, };

export type ConsoleLine = {
/**
 * `log`, `info`, `warn`, `error` or `debug`.
 */
level: string, text: string, };

export type ContextDetail = { row: ContextLine,
/**
 * What of its messages it keeps.
 */
retention: string,
/**
 * When it expires, and what nobody can go on with then.
 */
loss: string,
/**
 * Of the working state, the largest first.
 */
keys: Array<ContextKey>,
/**
 * The summary is the first.
 */
messages: Array<ContextMessage>,
/**
 * In the order in which they began.
 */
tasks: Array<ContextTask>, putAway: Array<PutAway>,
/**
 * Where the open session names it.
 */
seen: SeenContext | null,
/**
 * What went of its messages; null where nothing did, and where nobody serves it here.
 */
retentionLoss: RetentionLoss | null, };

export type ContextKey = { key: string, bytes: number,
/**
 * In one line.
 */
value: string,
/**
 * Where the value is, if the working state had no room for it.
 */
putAway: string | null, };

export type ContextMessage = {
/**
 * Place among all that was ever said, from 0.
 */
number: number, atMs: number,
/**
 * `user`, `assistant` or `system`.
 */
role: string, isSummary: boolean, content: string, bytes: number, door: string | null, };

export type ContextTask = { id: string, operation: string, status: string, createdMs: number, updatedMs: number, parent: string | null,
/**
 * Keys of the working state that it began with, and that it changed.
 */
inherited: Array<string>, changed: Array<string>,
/**
 * Of these, the keys that others had changed meanwhile: their values stayed.
 */
refused: Array<string>,
/**
 * What came of it, or what a person is asked.
 */
told: string | null, };

export type ContextsPage = {
/**
 * Rows on all pages.
 */
total: number,
/**
 * The latest used first; behind them those that expired, and those that only the open session names.
 */
rows: Array<ContextLine>, counts: ContextCounts,
/**
 * Tasks that are open in any of them.
 */
openTasks: number,
/**
 * Contexts that the open session names, and that nobody serves here.
 */
seen: number,
/**
 * Bytes that a working state may have.
 */
stateLimit: number,
/**
 * Where the session may have named others.
 */
gap: string | null, };

export type Decision = "go" | "stepCall" | "stepAgent" | "stepResult" | "goFreely" | "stop";

export type DiagnosticSeverity = "info" | "warning" | "error";

export type DiffLine = { sign: DiffSign, beforeLine: number | null, afterLine: number | null,
/**
 * Runs of the line; emphasised ones are the words that changed.
 */
runs: Array<DiffRun>, };

export type DiffRun = { text: string, isEmphasised: boolean, };

export type DiffSign = "same" | "added" | "removed";

export type DifferenceDetail = {
/**
 * As it was asked for, or the last one.
 */
number: number, kind: DifferenceKind,
/**
 * Where it begins, in tokens of the later prompt.
 */
atToken: number,
/**
 * "system_instruction[1]".
 */
place: string,
/**
 * "state.hits", "E7 log_analyst".
 */
source: string,
/**
 * The part, in the later prompt where it has one.
 */
address: string, before: Array<TokenChip>, after: Array<TokenChip>,
/**
 * How many chips both sides begin with.
 */
commonChips: number, lines: Array<DiffLine>, hiddenLines: number, isWhitespaceOnly: boolean, };

export type EditRow = {
/**
 * Counts from 1.
 */
number: number,
/**
 * "Cap rows of tool results: max_rows 20".
 */
title: string, edit: Edit, isUndone: boolean,
/**
 * Why it does not fit, or what to know about it.
 */
diagnostics: Array<DiagnosticRow>, };

export type EndpointOrigin = "live" | "provider" | "local" | "custom";

export type EndpointRow = { endpoint: Endpoint, origin: EndpointOrigin, hasKey: boolean,
/**
 * Where its key is from: "environment variable OPENAI_API_KEY", "key store", "memory".
 */
keyFrom: string | null, isReachable: boolean,
/**
 * What is wrong, in plain words.
 */
problem: string | null, models: Array<string>,
/**
 * The model that is asked where nobody says another; null: whom google-adk would ask.
 */
ownModel: string | null,
/**
 * What it runs, where it tells: "llama.cpp", "vLLM".
 */
software: string | null,
/**
 * The longest prompt of its own model with the answer, in tokens: as set, else as it tells.
 */
contextTokens: number | null,
/**
 * The rule by which what it finds again is predicted.
 */
cacheRule: string,
/**
 * Prompts that it holds side by side, where that is set or told.
 */
slots: number | null,
/**
 * Nobody is paid for what it does: it runs on this computer.
 */
isFree: boolean, };

export type EventDetail = { row: EventRow,
/**
 * "search_logs result".
 */
title: string,
/**
 * "log_analyst · call C3 · 14:03:06 · tool result".
 */
subtitle: string, id: string, invocation: string, branch: string | null, size: TokenCount, calls: number,
/**
 * Lifetime tokens as a share of all prompt tokens of the session, 0 to 1.
 */
share: number, cachedTokens: number, costUsd: number | null,
/**
 * Tokens sent and matched in the calls that carried it: runs of calls in which they were the same, in order.
 */
byCall: Array<CarriedBy>,
/**
 * "C4–C17, then summarised by E35".
 */
fate: string, chain: Array<ChainStep>,
/**
 * With the content it has here.
 */
parts: Array<EventPart>,
/**
 * What it was before an edit gave it another content; absent where none did.
 */
recorded: RecordedContent | null,
/**
 * The content it has here, ADK's `{role, parts}` as pretty JSON; absent where there is none, or more than 20,000
 * characters.
 */
content: string | null, stateDelta: Array<StateChange>, artifacts: Array<string>, transferTo: string | null,
/**
 * Reported by the provider with this event.
 */
usage: Array<LabelledNumber>, error: string | null,
/**
 * What was found about this event, the costliest first. Empty until every call is compiled.
 */
findings: Array<FindingRow>,
/**
 * The event as it was recorded, pretty JSON, at most 20,000 characters.
 */
raw: string, isRawCut: boolean, };

export type EventPage = { total: number,
/**
 * Events of the session before filtering.
 */
of: number, rows: Array<EventRow>,
/**
 * Largest lifetime in the session, for the bars.
 */
maxLifetimeTokens: number,
/**
 * What is wrong with the filter, and a suggestion.
 */
filterError: FilterError | null, };

export type EventPart = { index: number, kind: Kind,
/**
 * "text", "thought", "call", "result", "image/png, 24 KB".
 */
label: string, tokens: number,
/**
 * First 400 characters.
 */
preview: string, };

export type EventRow = {
/**
 * E1 is number 1.
 */
event: number,
/**
 * The call that produced it; absent for what people and the runtime wrote.
 */
call: number | null, agent: string, kind: Kind,
/**
 * "search_logs", shown in mono before `what`; empty when there is none.
 */
tool: string,
/**
 * "500 rows · billing ERROR since 2026-11-17".
 */
what: string,
/**
 * Tokens of its parts as stored.
 */
tokens: number,
/**
 * Calls that carried it.
 */
sentIn: number,
/**
 * Tokens it cost over all calls that carried it.
 */
lifetimeTokens: number,
/**
 * Of those, billed in full.
 */
freshTokens: number,
/**
 * "C4–C17".
 */
carriedBy: string, isError: boolean,
/**
 * It holds no content of its own: a state change, a rewind, an artifact.
 */
isSilent: boolean, timeMs: number | null,
/**
 * What edits made of it. The row tells what it says with them; of a dropped event, what was dropped.
 */
edits: Array<EventEdit>, };

export type ExperimentDetail = {
/**
 * In order; those behind `row.edits` were taken back.
 */
list: Array<EditRow>,
/**
 * Stands for a session in every other command.
 */
experiment: string,
/**
 * The recorded session it is laid over.
 */
session: string, name: string,
/**
 * Edits that count.
 */
edits: number,
/**
 * Edits that were taken back and can be made again.
 */
undone: number,
/**
 * Epoch milliseconds.
 */
changedMs: number, };

export type ExperimentList = { rows: Array<ExperimentRow>, };

export type ExperimentRow = {
/**
 * Stands for a session in every other command.
 */
experiment: string,
/**
 * The recorded session it is laid over.
 */
session: string, name: string,
/**
 * Edits that count.
 */
edits: number,
/**
 * Edits that were taken back and can be made again.
 */
undone: number,
/**
 * Epoch milliseconds.
 */
changedMs: number, };

export type ExportFormat = "session" | "patch" | "adk-python" | "adk-json" | "json" | "yaml";

export type Exported = {
/**
 * A name for the file.
 */
file: string, text: string,
/**
 * What the form cannot hold.
 */
diagnostics: Array<DiagnosticRow>, };

export type FactVerdict = "kept" | "paraphrased" | "dropped";

export type FateSum = { parts: number, tokensBefore: number, tokensAfter: number, };

export type FileRow = { name: string,
/**
 * The user's in all sessions.
 */
isOfUser: boolean,
/**
 * Oldest first; none where only prompts tell of it.
 */
versions: Array<FileVersion>, carried: Carried, };

export type FileVersion = {
/**
 * Counted from 0.
 */
version: number,
/**
 * The event that saved it, from 1; null where it is from elsewhere.
 */
event: number | null, agent: string,
/**
 * Null where it is not known what is in it.
 */
bytes: number | null,
/**
 * Null for text.
 */
mimeType: string | null, isKnown: boolean, };

export type FilterError = { message: string,
/**
 * The filter with the suggestion applied.
 */
suggestion: string | null, };

export type FindingList = {
/**
 * Every call is compiled and every fix was tried.
 */
isComplete: boolean,
/**
 * The tool that wrote the session, where what helps is set in it: "Claude Code".
 */
writer: string | null, rows: Array<FixableFinding>,
/**
 * Sources of bloat, the costliest first, with what would make each smaller.
 */
bloat: Array<BloatRow>, };

export type FixList = {
/**
 * Every call is compiled; before, nothing is replayed.
 */
isComplete: boolean,
/**
 * Calls that were replayed.
 */
calls: number,
/**
 * The most useful first.
 */
rows: Array<CacheFix>, };

export type FixableFinding = { finding: FindingRow,
/**
 * The most saving first; empty where no edit helps.
 */
fixes: Array<FixRow>, };

export type FoundPage = {
/**
 * Of the newest session first; in each the session itself, then its last event first.
 */
hits: Array<SearchHit>,
/**
 * Of all pages.
 */
total: number,
/**
 * There are more than `total`.
 */
isTotalCapped: boolean,
/**
 * Asks for the page behind this one; absent on the last.
 */
next: string | null,
/**
 * Sessions that are not searched yet, because they were stored by an older version.
 */
sessionsLeft: number, };

export type HandOffDetail = { row: HandOffRow, kept: FateSum, reframed: FateSum, dropped: FateSum, added: FateSum,
/**
 * What the form of a prompt takes: with the sums above, it adds up to both prompts.
 */
framing: FateSum, total: number,
/**
 * In the order of the later prompt; what is dropped stands where it was.
 */
parts: Array<HandOffPart>, };

export type HandOffOrder = "inOrder" | "byCost" | "byPair";

export type HandOffPart = {
/**
 * From 1.
 */
number: number, fate: Fate, kind: Kind | null,
/**
 * In the later prompt, else in the earlier one.
 */
address: string,
/**
 * "E7 log_analyst".
 */
source: string, text: string, tokensBefore: number, tokensAfter: number,
/**
 * It tells another agent's words.
 */
isQuotedBefore: boolean, isQuotedAfter: boolean,
/**
 * What decided that.
 */
rule: string, };

export type HandOffRow = {
/**
 * H1 is number 1.
 */
number: number, fromCall: number, toCall: number, from: string, to: string, via: HandOffVia,
/**
 * The event that transferred or called, from 1.
 */
event: number | null,
/**
 * Our counts of the last prompt of the one and the first prompt of the other.
 */
fromTokens: number, toTokens: number,
/**
 * The weaker of both.
 */
basis: Basis,
/**
 * What the first prompt comes to, as the Cache view has it.
 */
promptTokens: number, cachedTokens: number, isCacheReported: boolean,
/**
 * Its report says nothing of a cache.
 */
isCacheUnsaid: boolean,
/**
 * Of the prompt, without the answer.
 */
costUsd: number | null,
/**
 * Nobody is known to have paid for the call.
 */
isUnpaid: boolean,
/**
 * Why no more was found in a cache.
 */
note: string, };

export type Header = { name: string, value: string, };

export type HintsTaken = { taken: number, };

export type HomeOrder = "newest" | "cost" | "tokens" | "waste" | "peak";

export type HomePage = { reading: HomeReading,
/**
 * The zone of the days.
 */
timezone: string,
/**
 * Today, in that zone.
 */
today: string,
/**
 * Of all calls that are wanted, as `usage/get` adds them up.
 */
total: UsageSums,
/**
 * With a call whose price is not known: the cost is without those calls.
 */
unpricedSessions: number, waste: HomeWaste, days: Array<UsageRow>, tools: Array<UsageRow>, projects: Array<UsageRow>, models: Array<UsageRow>, sessions: Array<HomeSession>,
/**
 * Of all pages.
 */
nSessions: number, patterns: Array<HomePattern>,
/**
 * The period's days ÷ 7, one at least: what patterns cost a week is divided by it.
 */
weeks: number,
/**
 * What came since Home was looked at before this start; absent at the first time.
 */
news: HomeNews | null,
/**
 * The term of the filter that leaves nothing, where nothing is left.
 */
excludingTerm: string | null, };

export type HomePrompt = { tokens: number, cached: number, };

export type Job = { job: string,
/**
 * "Importing session.json".
 */
title: string, state: JobState,
/**
 * Units done and in all, `unit` says of what; `total` is 0 while it is not known.
 */
done: number, total: number, unit: string, secondsElapsed: number,
/**
 * Known after 2 s when at least 5 % is done.
 */
secondsLeft: number | null,
/**
 * Set when it ended: what came of it, in one line.
 */
outcome: string | null, sessions: Array<SessionListItem>,
/**
 * Ids of lessons that came in class files.
 */
lessons: Array<string>, diagnostics: Array<DiagnosticRow>,
/**
 * What came of the files of a folder, once it ended.
 */
files: FileCounts | null,
/**
 * What it reads: importing it again goes on where this one stopped. Empty for other work.
 */
paths: Array<string>, };

export type JobList = { jobs: Array<Job>, };

export type JobStarted = { job: string, };

export type JobState = "running" | "done" | "cancelled" | "failed";

export type JsonPage = {
/**
 * Length in UTF-16 units; `offset` and `limit` count the same.
 */
totalLength: number, text: string, };

export type KeyDetail = { key: string, scope: KeyScope, call: number, valueState: ValueState,
/**
 * At the call, at most some thousand characters of it.
 */
value: string,
/**
 * "integer", "list of 1,204".
 */
what: string, tokens: number | null, basis: Basis,
/**
 * In one line, at the last call.
 */
valueAtEnd: string, writers: Array<KeyWriter>, readers: Array<KeyReader>,
/**
 * Calls whose prompt holds it, and the last of them.
 */
reads: number, lastRead: number | null,
/**
 * As the Cache view has them.
 */
breaks: Array<BreakRow>, rebilledTokens: number,
/**
 * Absent where one of them has no price.
 */
costUsd: number | null,
/**
 * Number of the version that held at the call.
 */
current: number | null, total: number, versions: Array<VersionRow>, };

export type KeyReader = { agent: string, calls: number,
/**
 * The first few.
 */
ranges: Array<CallRange>,
/**
 * The part that holds it, in the call under the cursor or the last one that does.
 */
address: string, };

export type KeyRow = { key: string, scope: KeyScope, valueState: ValueState,
/**
 * In one line; in words where there is no value.
 */
value: string, tokens: number | null,
/**
 * Events that wrote it.
 */
writes: number,
/**
 * Calls whose prompt holds it.
 */
reads: number, isUnreadLarge: boolean, columns: KeyColumns, };

export type KeyWriter = { agent: string,
/**
 * The tool whose result came with the writes; empty where there is none.
 */
tool: string, writes: number, };

export type LabProbe = { question: string,
/**
 * The fact that was asked for, and the address of the event that states it; null where a person asked.
 */
expected: string | null, event: string | null, fromEvents: string, fromSummary: string, grade: ProbeGrade, };

export type LabProbePlan = { endpoint: string, model: string, questions: Array<string>,
/**
 * Two for each question: with the events, and with the summary.
 */
prompts: number,
/**
 * Prompts whose answers are known, and that are not sent again.
 */
fromBefore: number, inputTokens: number, outputTokens: number,
/**
 * US dollars; null where the model has no price.
 */
costUsd: number | null, };

export type LabRunList = { rows: Array<LabRunRow>, };

export type LabTrigger = "tokenThreshold" | "slidingWindow" | "promptLimit";

export type LabelledNumber = { label: string, value: number, };

export type LearnedCounts = {
/**
 * Models that are counted with another vocabulary than their own, those that are counted alike together. Empty
 * where nothing was learned.
 */
models: Array<LearnedModel>,
/**
 * False where it was learned or forgotten since Strata was started: it goes on counting as it began.
 */
isInUse: boolean, };

export type LearnedRatio = { kind: string, ratio: number, };

export type LessonList = {
/**
 * In the order in which they are taken: those that come with Strata, then those of class files.
 */
lessons: Array<LessonProgress>, };

export type LessonPage = { progress: LessonProgress,
/**
 * `sample`, or the file beside the lesson.
 */
session: string,
/**
 * Markdown.
 */
text: string, goals: Array<GoalRow>,
/**
 * Markdown; absent until the lesson is solved.
 */
explanation: string | null,
/**
 * Empty unless they were asked for.
 */
solutions: Array<LessonSolution>,
/**
 * What the session comes to as it was recorded; absent unless solutions were asked for.
 */
recorded: LessonNumbers | null, };

export type LineKind = "said" | "thought" | "called" | "answered" | "failed";

export type MemoryPage = {
/**
 * Rows on all pages.
 */
total: number,
/**
 * Searches, in order.
 */
rows: Array<MemorySearchRow>,
/**
 * Memories that they found, and of these the ones of which no answer has a word.
 */
found: number, unused: number, gap: string | null, };

export type MemorySearchRow = {
/**
 * From 1.
 */
number: number,
/**
 * `load_memory` or `preload_memory`.
 */
tool: string, query: string,
/**
 * The call that asked, or the first whose prompt holds what was found; 0 before the first.
 */
call: number,
/**
 * The event with what was found, from 1.
 */
event: number | null, agent: string, found: Array<RecalledMemory>, carried: Carried, };

export type ModelList = { endpoints: Array<EndpointRow>,
/**
 * Where keys are kept, in a sentence; said aloud where that is only memory.
 */
keys: string, };

export type NodeRow = {
/**
 * From 1.
 */
number: number,
/**
 * As google-adk writes it: `root@1/writer@2`.
 */
path: string, name: string,
/**
 * Behind the name.
 */
run: string, depth: number,
/**
 * The user's turn, from 1; null where no call tells it.
 */
turn: number | null, events: number, firstEvent: number, lastEvent: number, nCalls: number, calls: Array<CallRange>,
/**
 * From its first event to its last.
 */
seconds: number, state: NodeState,
/**
 * What it was given, where events tell: what the nodes before it put out, or the words that began its workflow. Null
 * where none does.
 */
input: string | null,
/**
 * Null where its events hold none.
 */
output: string | null, route: string | null,
/**
 * Ids of calls that wait for an answer.
 */
interrupts: Array<string>, problem: string | null, };

export type NodeState = "done" | "waits" | "failed";

export type NodesPage = {
/**
 * Rows on all pages.
 */
total: number,
/**
 * In the order in which they began.
 */
rows: Array<NodeRow>,
/**
 * Runs that wait for an answer from outside.
 */
waiting: number, gap: string | null, };

export type PaletteItem = { place: PlaceKind, address: string, title: string, detail: string, kind: Kind | null, };

export type PaletteResults = { items: Array<PaletteItem>, };

export type PartDetail = { address: string,
/**
 * "Rewritten part", "Instruction", "Tool definition".
 */
title: string,
/**
 * "contents[4]".
 */
badge: string,
/**
 * "prompt of C25, tokens 4,865–5,168".
 */
subtitle: string, kind: Kind, isReframed: boolean, tokens: TokenCount,
/**
 * Tokens of what it was made from, where that is an event.
 */
storedTokens: number | null, sentIn: number, calls: number,
/**
 * Tokens of it that matched an earlier prompt in this call.
 */
cachedTokens: number | null, chain: Array<ChainStep>,
/**
 * Its text by source, in order.
 */
spans: Array<PartSpan>,
/**
 * Kinds of the whole prompt of this call.
 */
promptByKind: Array<KindTokens>, promptTokens: number, isInferred: boolean, };

export type PartDiff = {
/**
 * "contents[4].parts[0]".
 */
title: string,
/**
 * "role model → user, quoted as the coordinator's words".
 */
subtitle: string,
/**
 * "E39 in the session, 284 tokens".
 */
beforeLabel: string, afterLabel: string, lines: Array<DiffLine>,
/**
 * The deadline struck: the difference is right but not the smallest.
 */
isApproximate: boolean,
/**
 * Only white space differs. It breaks caches all the same.
 */
isWhitespaceOnly: boolean,
/**
 * Lines left out at the end because the text is too long to show.
 */
hiddenLines: number, };

export type PartPage = { processor: string, stage: number, stages: number,
/**
 * "50 events in, 16 parts out. 7 kept, 8 rewritten as another agent's words, 34 hidden by 1 summary."
 */
headline: string, addedTokens: number, leftOutTokens: number,
/**
 * Tokens that rewriting parts cost (or, when negative, saved).
 */
rewritingTokens: number, comparedWith: string, total: number, rows: Array<PartRow>, };

export type PartRow = { change: PartChange,
/**
 * `4.0`, `sys.1`, `tool.sql_query`; empty for a folded row.
 */
path: string, address: string,
/**
 * Absent for a row that stands for several parts of different kinds.
 */
kind: Kind | null,
/**
 * How many parts or events the row stands for; 1 for an ordinary row.
 */
count: number,
/**
 * Another agent's words.
 */
isReframed: boolean,
/**
 * "E39 coordinator", "E1–E34", "instruction of log_analyst".
 */
from: string, tokensBefore: number, tokensAfter: number,
/**
 * First line of the text, or the rule that left the part out.
 */
text: string,
/**
 * The start of `text` that is code, such as a tool's name, in bytes of UTF-16.
 */
codeLength: number, isInferred: boolean, };

export type PartText = { totalLength: number, offset: number, text: string,
/**
 * Ends of tokens inside `text`, in UTF-16 units. Empty when the vocabulary cannot tell.
 */
tokenEnds: Array<number>, };

export type PlaceKind = "event" | "call" | "stage" | "tool" | "state" | "agent";

export type PlaceList = {
/**
 * The one written last first.
 */
places: Array<PlaceRow>, };

export type PrefixBreak = { isAvoidable: boolean,
/**
 * Tokens that still match.
 */
atToken: number,
/**
 * Tokens sent before and billed again.
 */
rebilledTokens: number, costUsd: number | null,
/**
 * "state.hits changed 41 → 2,318 inside the instruction".
 */
cause: string,
/**
 * Address of the part where the prefix ends.
 */
address: string, previousCall: number, };

export type PreviewResult = { thisCall: CallEffect, allCalls: Effect,
/**
 * What did not fit, and order that is violated.
 */
diagnostics: Array<DiagnosticRow>,
/**
 * What scripts of this call wrote and how they failed, by stage.
 */
scripts: Array<ScriptReport>, };

export type PreviousCall = { call: number, promptTokens: number, cachedTokens: number, };

export type PriceRates = { input: number, cachedRead: number,
/**
 * Absent where putting tokens into the cache costs no more than `input`.
 */
cacheWrite: number | null,
/**
 * The same for the longer of two lifetimes.
 */
cacheWriteLong: number | null, output: number, };

export type PriceRow = { model: string,
/**
 * A person has set it.
 */
isOwn: boolean,
/**
 * Of requests below all tiers.
 */
rates: PriceRates,
/**
 * Of requests with long prompts, from the shortest to the longest.
 */
tiers: Array<PriceTier>,
/**
 * The longest prompt that the model takes, where that is known.
 */
contextTokens: number | null,
/**
 * Others may serve the model at prices of their own.
 */
isOpenWeights: boolean, source: string,
/**
 * The day its source was read, as `2026-11-20`; empty for one that a person has set.
 */
seenOn: string, note: string | null, };

export type PriceTier = { abovePromptTokens: number, rates: PriceRates, };

export type ProbeGrade = "kept" | "lost" | "unanswered" | "missed";

export type ProcessorCatalog = { kinds: Array<ProcessorKind>, };

export type ProcessorKind = {
/**
 * For `insert_processor`'s `use`.
 */
name: string, title: string,
/**
 * A sentence or two.
 */
summary: string,
/**
 * The processor it stands before, unless an edit says otherwise.
 */
place: string, params: Array<Param>, };

export type PromiseList = { rows: Array<PromiseRow>, };

export type PromiseRow = {
/**
 * Of the fix.
 */
title: string,
/**
 * Its edits, by their numbers.
 */
firstEdit: number, lastEdit: number, promised: Saving,
/**
 * What the session comes to without these edits less what it comes to with them; absent while they are undone.
 */
saves: Saving | null,
/**
 * Both in words.
 */
sentence: string, };

export type PromptDifference = { call: number,
/**
 * The call it is compared with; absent for the first call of an agent.
 */
previousCall: number | null,
/**
 * How many differences there are.
 */
total: number,
/**
 * Of the later prompt: what both begin with, what both have behind the first difference, and the rest.
 */
sameTokens: number, againTokens: number, newTokens: number,
/**
 * Absent when the later prompt is the earlier one.
 */
shown: DifferenceDetail | null, };

export type PutAway = { name: string,
/**
 * Counted from 0.
 */
version: number, bytes: number, };

export type RecalledMemory = { author: string, timestamp: string, text: string,
/**
 * An answer to a prompt that held it has a telling word of it which the question did not have.
 */
isUsed: boolean, };

export type Removed = { title: string, };

export type ReplayAnswer = { job: string, isEnded: boolean,
/**
 * Text and tool calls as they came.
 */
answer: string,
/**
 * The same of the recorded answer.
 */
recorded: string,
/**
 * From the recorded answer to this one, line by line, once it ended.
 */
difference: Array<DiffLine>, finish: string | null, predicted: TokenCount, isCountedByServer: boolean,
/**
 * Answers of this model whose reports are known, with this one.
 */
measuredCalls: number, reportedTokens: number | null, predictedCached: TokenCount, reportedCachedTokens: number | null,
/**
 * Seconds until the first token: predicted where the server was asked before, and as it was.
 */
predictedFirstTokenS: number | null, firstTokenS: number | null, outputTokens: number | null, costUsd: number | null,
/**
 * What happened, what was kept, what to do.
 */
failure: string | null,
/**
 * The model takes no pictures: the call can be sent without them.
 */
isPictureRefused: boolean, };

export type ReplayRequest = { endpoint: string, model: string,
/**
 * Method and address.
 */
target: string,
/**
 * Readable JSON, cut at the limit; `bytes` is the size of the whole.
 */
body: string, bytes: number,
/**
 * What the provider is likely to report: as the server counts it, else calibrated by what it reported before, else
 * our count.
 */
predicted: TokenCount,
/**
 * The server itself counted the prompt.
 */
isCountedByServer: boolean,
/**
 * By what was sent to this server from here, and its rule: exact in its own tokens, else by our count.
 */
predictedCached: TokenCount,
/**
 * The rule, and on what it rests, in a sentence.
 */
cacheSaid: string,
/**
 * Seconds until the first token, by how fast this server was; null as long as it was not asked.
 */
firstTokenS: number | null,
/**
 * The longest prompt with its answer that the model takes, in tokens, where that is known.
 */
contextTokens: number | null,
/**
 * Why it is not sent as it is, and what to do; null: it can be sent.
 */
problem: string | null,
/**
 * Pictures and files in the prompt.
 */
pictures: number,
/**
 * US dollars for the prompt and an answer as long as the recorded one.
 */
estimatedCostUsd: number | null, recorded: string, };

export type ReportForm = "html" | "strip-svg" | "map-svg";

export type RequestsAdded = {
/**
 * Requests that belong to calls of the session, and are shown there from now on.
 */
joined: number,
/**
 * Requests in the file whose answers are no events of the session.
 */
left: number,
/**
 * Both in a sentence.
 */
message: string, };

export type ResultsForm = "csv" | "strata";

export type RunConversation = {
/**
 * The last ones.
 */
lines: Array<ConversationLine>,
/**
 * How many came before them.
 */
leftOut: number, };

export type RunDeeds = {
/**
 * A sentence each; none where the app starts and reaches nothing.
 */
deeds: Array<string>,
/**
 * Another one where the app, or what it would do, has changed.
 */
mark: string,
/**
 * Somebody has agreed, or there is nothing to agree to.
 */
isAgreed: boolean, };

export type RunList = { runs: Array<RunStatus>, };

export type RunPhase = "idle" | "running" | "held" | "stopped";

export type SavedScript = {
/**
 * Without `.js`.
 */
name: string, path: string, bytes: number,
/**
 * Epoch milliseconds.
 */
changedMs: number,
/**
 * The comment in its first line; empty if there is none.
 */
summary: string, };

export type SavedTokens = "prompt" | "fullPrice";

export type ScriptList = {
/**
 * Where they lie; empty where this Strata keeps nothing.
 */
folder: string,
/**
 * By name.
 */
scripts: Array<SavedScript>, };

export type ScriptSource = { name: string, source: string, };

export type ScriptTokens = { before: number, after: number, };

export type SearchHit = { session: string,
/**
 * Of the session.
 */
title: string,
/**
 * `E7`; absent when the session itself was found, by its title, file, app, user or id.
 */
address: string | null,
/**
 * `user` or an agent.
 */
author: string | null, tools: Array<string>,
/**
 * Epoch milliseconds of the event, if known.
 */
atMs: number | null,
/**
 * The text around what was found, in order.
 */
snippet: Array<SnippetPiece>, };

export type SecretKind = {
/**
 * `API key`, `password`.
 */
name: string,
/**
 * Different values.
 */
values: number, };

export type SecretState = {
/**
 * What is stored from now on is masked.
 */
masks: boolean,
/**
 * What was found when it was looked for last, since Strata was started; null where it was not. What was masked then
 * is not there any more.
 */
found: KeptSecrets | null, };

export type SessionComparison = { a: ComparedSide, b: ComparedSide,
/**
 * Where A is a recording with edits, and B another recording: what came of the edits.
 */
promise: EditsPromise | null,
/**
 * What to know before the two are compared, a sentence each: other bases, a price that is not known.
 */
notes: Array<string>,
/**
 * They add up to B less A.
 */
causes: Array<DifferenceCause>,
/**
 * Aligned calls, in the order of their turns.
 */
calls: Array<AlignedCall>,
/**
 * Aligned calls in all.
 */
total: number, };

export type SessionHeader = {
/**
 * Of the session or the experiment that was asked for.
 */
session: string,
/**
 * The experiment, where it is one; its `session` is the recorded one.
 */
experiment: ExperimentRow | null, title: string, format: string, source: string, isSample: boolean, events: number, calls: number,
/**
 * Calls compiled so far; less than `calls` while the background work runs.
 */
compiledCalls: number,
/**
 * Times a user spoke.
 */
userTurns: number, compactions: number,
/**
 * In order of appearance; call columns refer to them by index.
 */
agents: Array<AgentSummary>,
/**
 * What the compiled calls come to.
 */
bill: Bill,
/**
 * What the providers are likely to have counted, where that is known of calls they reported nothing for.
 */
calibrated: CalibratedTotal | null, reported: ReportedUsage | null, tokenizer: TokenizerInfo, prices: Array<PriceInfo>, app: AppInfo, diagnostics: Array<DiagnosticRow>,
/**
 * Record types and fields of the file that have no place in the session model, with how often they occur.
 */
unmapped: Array<UnmappedRow>,
/**
 * Largest prompt of a compiled call, for scales.
 */
peakTokens: number, follow: FollowState, };

export type SessionListItem = {
/**
 * The store's own id, used by every other command.
 */
session: string, title: string,
/**
 * `ADK session`, `Claude Code transcript`, …
 */
format: string,
/**
 * Where it was read from; empty for the bundled sample.
 */
source: string, events: number, calls: number,
/**
 * Epoch milliseconds of the last event, if known.
 */
lastEventMs: number | null,
/**
 * Epoch milliseconds; absent when never opened.
 */
openedMs: number | null, isSample: boolean, };

export type SessionPage = { total: number, rows: Array<SessionRow>, };

export type SessionSecrets = { session: string, title: string,
/**
 * Different values.
 */
values: number, kinds: Array<SecretKind>, };

export type SnippetPiece = { text: string, isMatch: boolean, };

export type StageList = { call: number, agent: string, rows: Array<StageRow>, total: TokenCount,
/**
 * Tokens that no stage wrote: message framing and the like, a part of `total`.
 */
overheadTokens: number, };

export type StageRow = {
/**
 * Counts from 1.
 */
number: number, processor: string,
/**
 * One line on what it did or why it did nothing: "template with {hits}, {last_query}", "no planner".
 */
note: string,
/**
 * It changed the request.
 */
isChanged: boolean,
/**
 * Its result was taken from an earlier compile.
 */
isReused: boolean,
/**
 * False for one that is switched off.
 */
isEnabled: boolean,
/**
 * What an experiment put here, with its parameters; absent for the agent's own.
 */
inserted: InsertedStage | null, tokensBefore: number, tokensAfter: number,
/**
 * What it added, by kind, for the bar.
 */
added: Array<KindTokens>, removedTokens: number, diagnostics: Array<DiagnosticRow>,
/**
 * A constraint on the order of processors that this stage violates.
 */
orderWarning: string | null,
/**
 * Rests on an inferred configuration.
 */
isInferred: boolean,
/**
 * No processor's work, but what was really sent. The stage before it is what was compiled.
 */
isRecorded: boolean,
/**
 * What a script wrote, and why it failed if it did.
 */
script: ScriptReport | null, };

export type StartInfo = { version: string,
/**
 * `desktop` or `browser`.
 */
host: string,
/**
 * The session to open: the one named on the command line, else the last one open, else the bundled sample.
 */
openSession: string | null,
/**
 * A file from the command line that is being imported; its job id.
 */
openJob: string | null,
/**
 * The bundled sample session.
 */
sampleSession: string, recent: Array<SessionListItem>,
/**
 * The gateway listens.
 */
isCapturing: boolean, settings: Settings, };

export type StateChange = { key: string, before: string | null, after: string, };

export type StateFieldRow = { name: string,
/**
 * Entries that have it.
 */
entries: number,
/**
 * Of its values in all entries.
 */
characters: number, };

export type StatePage = { call: number,
/**
 * Calls that are compiled, and all calls: reads and losses are of the former.
 */
calls: number, ofCalls: number,
/**
 * Keys, and of these the ones that have a value at the call.
 */
total: number, set: number,
/**
 * Of their values at the call, as an instruction would show them, in the tokens of its model.
 */
tokens: number, basis: Basis,
/**
 * Keys with a large value that no prompt holds.
 */
unreadLarge: number,
/**
 * From how many tokens on a value is large.
 */
largeTokens: number, columns: Array<CallRange>,
/**
 * The key that tells most: whose change broke the cache of the call, else of another call; else the first.
 */
keyToSee: string | null,
/**
 * By scope, then by name.
 */
rows: Array<KeyRow>,
/**
 * What the recording does not hold, in a sentence.
 */
gap: string | null, };

export type StateValueRow = { key: string,
/**
 * Of the value as recorded, written as JSON.
 */
characters: number,
/**
 * Characters of it in the call's instruction; 0 where that does not show it.
 */
sentCharacters: number,
/**
 * Entries of a list or of an object of objects; 1 for an object alone, 0 for a value without fields.
 */
entries: number,
/**
 * What its entries have, in the order in which they come.
 */
fields: Array<StateFieldRow>,
/**
 * The fields that a state map shows; empty where there is none.
 */
shown: Array<string>, };

export type StateValues = {
/**
 * Those in the prompt first, then the longest.
 */
rows: Array<StateValueRow>, };

export type StorageInfo = {
/**
 * Absent where nothing is kept beyond this run.
 */
path: string | null,
/**
 * Of the file, without its write-ahead log: the bytes of `parts`, and `free_bytes`.
 */
bytes: number,
/**
 * What the next import fills first.
 */
freeBytes: number,
/**
 * The largest first.
 */
parts: Array<StoragePart>, sessions: number, events: number, };

export type StoragePart = {
/**
 * `events`, `files as they were read`.
 */
name: string, bytes: number, };

export type StratumRuns = {
/**
 * In order of calls.
 */
runs: Array<StratumRun>, };

export type TestAnswer = { isOk: boolean,
/**
 * In a sentence or two: what answered, or what is wrong and what to do.
 */
message: string, model: string | null, milliseconds: number, inputTokens: number | null, outputTokens: number | null, };

export type TextPage = { total: number, segments: Array<TextSegment>, };

export type Theme = "system" | "dark" | "light";

export type TokenizerInfo = {
/**
 * `o200k_base`.
 */
vocabulary: string, basis: Basis,
/**
 * One sentence on what the counts rest on and how far off they may be.
 */
explanation: string, };

export type UnmappedRow = { name: string, count: number, };

export type UnpricedModel = {
/**
 * Absent where calls name none.
 */
model: string | null, calls: number,
/**
 * Of prompts and answers.
 */
tokens: number, };

export type UploadedFile = {
/**
 * The id an upload to the host returned.
 */
upload: string,
/**
 * The file's name, for the title.
 */
name: string, };

export type UsageRow = {
/**
 * A day, a folder, a model, a tool, or the id that a session has itself (its path, if none); absent where that is not
 * known.
 */
key: string | null,
/**
 * Of a session.
 */
title: string | null,
/**
 * With a call of these, their sub-agents included.
 */
sessions: number,
/**
 * Those whose prompt is reported.
 */
calls: number,
/**
 * Reports on several calls together, which did not report their own.
 */
combinedReports: number,
/**
 * Calls that were answered and report no prompt: nothing of it is in these sums.
 */
unreportedCalls: number,
/**
 * All of the prompts: the next three add up to it.
 */
inputTokens: number, uncachedTokens: number,
/**
 * Read from a cache, and written to one.
 */
cachedTokens: number, cacheWriteTokens: number,
/**
 * Thoughts included.
 */
outputTokens: number,
/**
 * The share of the prompts that was read from a cache, from 0 to 1.
 */
cacheRatio: number,
/**
 * US dollars for all calls that have a price; absent where none has one.
 */
cost: number | null,
/**
 * `reported` where each report is of one call; `estimated` where some are of several, whose prompts may have been
 * long ones.
 */
costBasis: Basis,
/**
 * Calls and reports without a known price: they are not in the cost.
 */
unpricedCalls: number, };

export type VersionRow = {
/**
 * From 1; 0 is what it held before the first event that wrote it.
 */
number: number,
/**
 * From 1; absent for what was there when the session began.
 */
event: number | null,
/**
 * The call that was answered last by then; 0 before the first one.
 */
call: number,
/**
 * Who wrote the event.
 */
agent: string, tool: string, before: string, after: string, tokens: number | null,
/**
 * Losses of caches that it came to.
 */
breaks: Array<BreakRow>, };

export type WaitingKind = "confirmation" | "input" | "tool";

export type ZoneRow = { zone: CacheZone, from: number, to: number,
/**
 * "found in the cache".
 */
meaning: string, };

/** The kinds in the order of the legend and of `call/columns`. */
export const KINDS: readonly Kind[] = ["tools","system","memory","summary","user","model","result"];

/** Bits of a column's flags. */
export const COLUMN_FLAGS = {
  avoidableBreak: 1,
  structuralBreak: 2,
  compaction: 4,
  error: 8,
  handoff: 16,
  reportedCache: 32,
  notCompiled: 64,
  providerBreak: 128,
} as const;

/** Bits of a row's flags in `cache/ladder`. */
export const LADDER_FLAGS = {
  avoidableBreak: 1,
  structuralBreak: 2,
  providerBreak: 4,
  reported: 8,
  differs: 16,
} as const;

/** Parameters and result of every command. */
export interface Commands {
  /** What the window needs for its first frame. */
  "app/start": { readonly params: Record<string, never>; readonly result: StartInfo };
  /** Stores the settings. */
  "app/setSettings": { readonly params: { settings: Settings, }; readonly result: Settings };
  /** The plugin that records a google-adk app, as a Python file. */
  "app/recorder": { readonly params: Record<string, never>; readonly result: RecorderFile };
  /** What models cost, with sources. */
  "app/prices": { readonly params: Record<string, never>; readonly result: Array<PriceRow> };
  /** Sets a price of one's own for a model. */
  "app/setPrice": { readonly params: {  /**  * As its calls name it.  */ model: string, rates: PriceRates, }; readonly result: Array<PriceRow> };
  /** Forgets a price that was set. */
  "app/forgetPrice": { readonly params: { model: string, }; readonly result: Array<PriceRow> };
  /** How providers find a prefix again, with sources. */
  "app/cacheRules": { readonly params: Record<string, never>; readonly result: Array<CacheRuleRow> };
  /** Where sessions are kept, and how much space they take. */
  "app/storage": { readonly params: Record<string, never>; readonly result: StorageInfo };
  /** Whether what looks like a key is masked in what is stored, and what was found last. */
  "secret/state": { readonly params: Record<string, never>; readonly result: SecretState };
  /** Looks through all that is stored for what looks like a key, as a job. */
  "secret/look": { readonly params: Record<string, never>; readonly result: JobStarted };
  /** Masks what looks like a key in all that is stored, for good, as a job. */
  "secret/mask": { readonly params: Record<string, never>; readonly result: JobStarted };
  /** Stores what comes from now on as it was said. */
  "secret/keep": { readonly params: Record<string, never>; readonly result: SecretState };
  /** What stored sessions told of how providers count. */
  "counts/learned": { readonly params: Record<string, never>; readonly result: LearnedCounts };
  /** Learns from all stored sessions how providers count, as a job. */
  "counts/learn": { readonly params: Record<string, never>; readonly result: JobStarted };
  /** Forgets what stored sessions told of how providers count. */
  "counts/forget": { readonly params: Record<string, never>; readonly result: LearnedCounts };
  /** Sessions in the store, most recently opened first. */
  "session/list": { readonly params: {  /**  * Only sessions whose title, id or file contains this text.  */ filter: string, offset: number, limit: number, }; readonly result: SessionPage };
  /** Reads files and folders, as a job. */
  "session/import": { readonly params: { paths: Array<string>, }; readonly result: JobStarted };
  /** Reads files that were uploaded, as one job. */
  "session/importUploads": { readonly params: { uploads: Array<UploadedFile>, }; readonly result: JobStarted };
  /** Gives a session the requests that another file recorded. */
  "session/addRequests": { readonly params: { session: string,  /**  * The file, on this computer.  */ path: string | null,  /**  * The id an upload to the host returned, where it has no path.  */ upload: string | null,  /**  * The file's name, where it has no path.  */ name: string | null, }; readonly result: RequestsAdded };
  /** Makes a session ready and compiles its calls in the background. */
  "session/open": { readonly params: { session: string, }; readonly result: SessionHeader };
  /** The numbers of an open session, as far as it is compiled. */
  "session/header": { readonly params: { session: string, }; readonly result: SessionHeader };
  /** Compiles a session with this app configuration from now on. */
  "session/setApp": { readonly params: { session: string,  /**  * A JSON or YAML file; absent to go back to what can be inferred.  */ path: string | null, }; readonly result: SessionHeader };
  /** Counts and prices a session that names no model as if sent to one. */
  "session/setModel": { readonly params: { session: string,  /**  * As its provider calls it; absent to go back to a model that nobody knows.  */ model: string | null, }; readonly result: SessionHeader };
  /** Compiles a session with the files and the memory of its app. */
  "session/setServices": { readonly params: { session: string,  /**  * The root of a FileArtifactService; absent to go by what lies beside the session.  */ artifacts: string | null,  /**  * A database of SqliteMemoryService, a file of memories, sessions that were remembered, or a recording of an app that  * searched; absent to go by what lies beside the session.  */ memory: string | null, }; readonly result: SessionHeader };
  /** Two sessions of one task, before and after a change: what makes the difference. */
  "session/compare": { readonly params: {  /**  * A session or an experiment: how it was.  */ a: string,  /**  * How it is.  */ b: string, by: CauseRanking,  /**  * Of the aligned calls.  */ offset: number, limit: number, }; readonly result: SessionComparison };
  /** Reads the file of a session again whenever it changes, or stops that. */
  "session/follow": { readonly params: { session: string, isOn: boolean, }; readonly result: FollowState };
  /** Takes a session out of the store. */
  "session/remove": { readonly params: { session: string, }; readonly result: Removed };
  /** Columns of the strip: size, cached, kinds, agent and marks of calls. */
  "call/columns": { readonly params: { session: string, from: number, to: number, maxColumns: number, }; readonly result: ArrayBuffer };
  /** The parts of the prompts of a range of calls. */
  "call/map": { readonly params: { session: string, from: number, to: number, maxColumns: number, minTokens: number, }; readonly result: ArrayBuffer };
  /** One call: prompt, cache, report, residual. */
  "call/get": { readonly params: { session: string, call: number, }; readonly result: CallDetail };
  /** What the calls of a range come to. */
  "call/bill": { readonly params: { session: string, from: number, to: number, }; readonly result: Bill };
  /** A second opinion on the count of a call's prompt. */
  "call/verify": { readonly params: { session: string, call: number, }; readonly result: Verification };
  /** The processors that compiled a call. */
  "call/stages": { readonly params: { session: string, call: number, }; readonly result: StageList };
  /** What a stage did, part by part. */
  "call/stageParts": { readonly params: { session: string, call: number,  /**  * Counts from 1.  */ stage: number, compareWith: CompareWith,  /**  * Fold runs of parts that did not change.  */ foldUnchanged: boolean, offset: number, limit: number, }; readonly result: PartPage };
  /** The prompt after a stage as text, with the source of each segment. */
  "call/text": { readonly params: { session: string, call: number, stage: number,  /**  * Segments `offset..offset+limit`.  */ offset: number, limit: number, }; readonly result: TextPage };
  /** The request after a stage as JSON. */
  "call/json": { readonly params: { session: string, call: number, stage: number, offset: number, limit: number, }; readonly result: JsonPage };
  /** The state at a call, with the fields a state map can keep. */
  "call/state": { readonly params: { session: string, call: number, }; readonly result: StateValues };
  /** Calls of which less is found in a cache than could be, and the sums. */
  "cache/breaks": { readonly params: { session: string, order: BreakOrder, offset: number, limit: number, }; readonly result: BreakPage };
  /** Sizes and prefixes of the prompts of calls. */
  "cache/ladder": { readonly params: { session: string, from: number, to: number, }; readonly result: ArrayBuffer };
  /** The parts of the prompts of some calls, as their providers read them. */
  "cache/rows": { readonly params: { session: string,  /**  * At most 500.  */ calls: Array<number>,  /**  * Parts smaller than this are gathered by kind.  */ minTokens: number, }; readonly result: ArrayBuffer };
  /** What the cache does for one call, and why not more. */
  "cache/why": { readonly params: { session: string, call: number, }; readonly result: CallCacheDetail };
  /** One difference between a prompt and the one it could have continued. */
  "cache/difference": { readonly params: { session: string, call: number,  /**  * Counts from 1, from the beginning of the prompt on: the first one ends the prefix.  */ number: number, }; readonly result: PromptDifference };
  /** Changes that would keep more in the cache, replayed over all calls. */
  "cache/fixes": { readonly params: { session: string, }; readonly result: FixList };
  /** Every key of the state, with its value at a call and over all calls. */
  "stores/state": { readonly params: { session: string, call: number,  /**  * Calls share columns where there are more of them.  */ maxColumns: number, offset: number, limit: number, }; readonly result: StatePage };
  /** One key of the state: its versions, who wrote it, who reads it, what that cost. */
  "stores/key": { readonly params: { session: string, key: string, call: number,  /**  * Of the versions.  */ offset: number, limit: number, }; readonly result: KeyDetail };
  /** The agents of a session, and where one goes on after another. */
  "stores/agents": { readonly params: { session: string, order: HandOffOrder, offset: number, limit: number, }; readonly result: AgentPage };
  /** What one agent had and the next one saw, part by part. */
  "stores/handOff": { readonly params: { session: string, number: number, offset: number, limit: number, }; readonly result: HandOffDetail };
  /** The files that agents saved, with what loading them cost. */
  "stores/artifacts": { readonly params: { session: string, offset: number, limit: number, }; readonly result: ArtifactsPage };
  /** What agents searched for in memory, found, and used. */
  "stores/memory": { readonly params: { session: string, offset: number, limit: number, }; readonly result: MemoryPage };
  /** Runs of nodes: what came of each, and what they wait for. */
  "stores/nodes": { readonly params: { session: string, offset: number, limit: number, }; readonly result: NodesPage };
  /** Contexts of served apps, with those that expired. */
  "stores/contexts": { readonly params: { session: string, filter: ContextFilter, offset: number, limit: number, }; readonly result: ContextsPage };
  /** One context: what takes its room, and what would be lost with it. */
  "stores/context": { readonly params: { session: string, context: string, }; readonly result: ContextDetail };
  /** How many there are in each store. */
  "stores/counts": { readonly params: { session: string, }; readonly result: StoreCounts };
  /** Puts a context away until its client comes back. */
  "stores/archiveContext": { readonly params: { session: string, context: string, }; readonly result: ContextDetail };
  /** Ends a context before its time; it is archived. */
  "stores/expireContext": { readonly params: { session: string, context: string, }; readonly result: ContextDetail };
  /** A part in the prompts of both agents, line by line. */
  "stores/handOffText": { readonly params: { session: string, number: number,  /**  * From 1.  */ part: number, }; readonly result: PartDiff };
  /** One part of a request: size, source, what it was made from. */
  "part/get": { readonly params: { session: string,  /**  * `C17/4.0`, `C17/sys.1`, `C17/tool.sql_query`.  */ address: string,  /**  * The stage it is looked at after; absent for the last.  */ stage: number | null, }; readonly result: PartDetail };
  /** A page of a part's text with its tokens. */
  "part/text": { readonly params: { session: string,  /**  * A part of a call, or `E7/0` for part 0 of an event as it is stored.  */ address: string, stage: number | null,  /**  * In UTF-16 units.  */ offset: number, limit: number, }; readonly result: PartText };
  /** A part before and after a stage, line by line. */
  "part/diff": { readonly params: { session: string, address: string, stage: number, compareWith: CompareWith, }; readonly result: PartDiff };
  /** Rows of the event table, sorted and filtered. */
  "event/page": { readonly params: { session: string, order: EventOrder,  /**  * `kind:result tool:search_logs agent:x size:>2000 call:4..17 state:hits error:yes text:"Decimal"`, or plain  * words; empty for all.  */ filter: string,  /**  * What the rows come to is then what they come to in these calls.  */ within?: CallRange, offset: number, limit: number, }; readonly result: EventPage };
  /** One event: cost, fate, source, content. */
  "event/get": { readonly params: { session: string, event: number, }; readonly result: EventDetail };
  /** Where an event lies in the prompts that carried it. */
  "event/stratum": { readonly params: { session: string, event: number, calls: CallRange, }; readonly result: StratumRuns };
  /** Experiments over a session. */
  "experiment/list": { readonly params: {  /**  * A session, or an experiment over it.  */ session: string, }; readonly result: ExperimentList };
  /** Makes an experiment over a session. */
  "experiment/create": { readonly params: {  /**  * A session, or an experiment over it.  */ session: string,  /**  * Absent: a number.  */ name: string | null, }; readonly result: ExperimentDetail };
  /** An experiment with its edits, and what came of each. */
  "experiment/get": { readonly params: { experiment: string, }; readonly result: ExperimentDetail };
  /** Gives an experiment another name. */
  "experiment/rename": { readonly params: { experiment: string, name: string, }; readonly result: ExperimentDetail };
  /** Makes another experiment with the same edits. */
  "experiment/duplicate": { readonly params: { experiment: string,  /**  * Absent: the name with "copy".  */ name: string | null, }; readonly result: ExperimentDetail };
  /** Takes an experiment out of the store. */
  "experiment/remove": { readonly params: { experiment: string, }; readonly result: Removed };
  /** Adds edits to an experiment and compiles it again. */
  "experiment/edit": { readonly params: { experiment: string, edits: Array<Edit>,  /**  * Takes the last edit's place instead, where it was one of the same kind and of the same thing: a parameter that  * is dragged is one edit.  */ replacesLast?: boolean, }; readonly result: ExperimentDetail };
  /** Takes back the last edit. */
  "experiment/undo": { readonly params: { experiment: string, }; readonly result: ExperimentDetail };
  /** Makes the edit again that was taken back last. */
  "experiment/redo": { readonly params: { experiment: string, }; readonly result: ExperimentDetail };
  /** What edits would do to a call and to all calls, without making them. */
  "experiment/preview": { readonly params: {  /**  * A session or an experiment.  */ session: string, call: number, edits: Array<Edit>,  /**  * In place of so many of the experiment's last edits.  */ withoutLast?: number, }; readonly result: PreviewResult };
  /** What applied fixes promised, and what they save. */
  "experiment/promises": { readonly params: { experiment: string, }; readonly result: PromiseList };
  /** Two experiments over a session, call by call. */
  "experiment/compare": { readonly params: { a: string, b: string,  /**  * Only calls whose requests differ.  */ onlyChanged: boolean, offset: number, limit: number, }; readonly result: Comparison };
  /** The requests of a call in two experiments, part by part. */
  "experiment/compareParts": { readonly params: { a: string, b: string, call: number, foldUnchanged: boolean, offset: number, limit: number, }; readonly result: PartPage };
  /** A part of a request in two experiments, line by line. */
  "experiment/compareText": { readonly params: { a: string, b: string, call: number,  /**  * `4.0`, `sys.1`, `tool.sql_query`.  */ path: string,  /**  * It is the path in `a`, of a part that `b` has no more.  */ isLeftOut: boolean, }; readonly result: PartDiff };
  /** An experiment as a patch of a google-adk app, as google-adk Python, as an app configuration, or as a file of edits. */
  "experiment/export": { readonly params: {  /**  * A session or an experiment.  */ session: string, as: ExportFormat,  /**  * Mask keys, tokens and passwords.  */ masksSecrets: boolean, }; readonly result: Exported };
  /** A session or an experiment as a report: one page for a browser, or a picture. */
  "experiment/report": { readonly params: {  /**  * A session or an experiment.  */ session: string, as: ReportForm,  /**  * Mask keys, tokens and passwords.  */ masksSecrets: boolean, }; readonly result: Exported };
  /** Kinds of processors that can be inserted, with their parameters. */
  "processor/catalog": { readonly params: Record<string, never>; readonly result: ProcessorCatalog };
  /** Reads a script, and tries it on a call. */
  "script/check": { readonly params: { source: string,  /**  * The session or experiment, and the call; absent: the script is only read.  */ on: ScriptTarget | null, }; readonly result: ScriptReport };
  /** Scripts that are saved, with the folder they are in. */
  "script/list": { readonly params: Record<string, never>; readonly result: ScriptList };
  /** The text of a saved script. */
  "script/get": { readonly params: { name: string, }; readonly result: ScriptSource };
  /** Saves a script in the folder. */
  "script/save": { readonly params: {  /**  * A file's name, with or without `.js`; folders are refused.  */ name: string, source: string,  /**  * Whether a script of that name may be overwritten; otherwise that is `badInput`.  */ replaces: boolean, }; readonly result: ScriptList };
  /** Removes a saved script. */
  "script/remove": { readonly params: { name: string, }; readonly result: ScriptList };
  /** What is worth a person's time, with fixes that were tried on all calls. */
  "findings/list": { readonly params: {  /**  * A session or an experiment.  */ session: string, }; readonly result: FindingList };
  /** Makes the edits of a fix. */
  "findings/apply": { readonly params: {  /**  * A session or an experiment.  */ session: string,  /**  * For the name of a new experiment.  */ title: string, edits: Array<Edit>,  /**  * What it was found to save, to be set beside what it saves in the end.  */ promised?: Saving, }; readonly result: ExperimentDetail };
  /** The lessons that come with Strata and in class files, and how far they are. */
  "lesson/list": { readonly params: Record<string, never>; readonly result: LessonList };
  /** A lesson: its text, its goals with hints, and its solutions if they are asked for. */
  "lesson/get": { readonly params: { lesson: string,  /**  * Whether the author's solutions are told, too.  */ withSolutions: boolean, }; readonly result: LessonPage };
  /** Makes an experiment over a lesson's session. */
  "lesson/start": { readonly params: { lesson: string, }; readonly result: ExperimentDetail };
  /** Grades an experiment and answers, and remembers what is met. */
  "lesson/grade": { readonly params: { lesson: string,  /**  * Absent: without edits.  */ experiment: string | null,  /**  * By the ids of goals.  */ answers: { [key in string]: string }, }; readonly result: LessonGrade };
  /** Notes that a learner took hints to a goal. */
  "lesson/hint": { readonly params: { lesson: string, goal: string,  /**  * How many by now.  */ taken: number, }; readonly result: HintsTaken };
  /** Takes a lesson of a class file out of the list; its results stay. */
  "lesson/remove": { readonly params: { lesson: string, }; readonly result: LessonList };
  /** What was done in lessons, as a table or as a file to hand in. */
  "lesson/results": { readonly params: { as: ResultsForm, }; readonly result: Exported };
  /** Where agents leave their sessions on this computer. */
  "place/list": { readonly params: Record<string, never>; readonly result: PlaceList };
  /** Says which places Home may read. */
  "place/choose": { readonly params: { choices: Array<ChosenPlace>, }; readonly result: PlaceList };
  /** What agents did on this computer, as far as it may be read: sums, days, sessions, waste that comes back. */
  "home/get": { readonly params: {  /**  * Words that a session has in its title, tool, project or models. `tool:`, `project:`, `model:` and `finding:` look there  * only; `tool:=Codex CLI` wants just that, and `"…"` keeps words together.  */ filter: string,  /**  * The first and the last day, as `2026-11-20`.  */ since: string | null, until: string | null,  /**  * The zone whose days are meant; that of this computer if absent.  */ timezone: string | null, order: HomeOrder, offset: number, limit: number, }; readonly result: HomePage };
  /** Looks for new and changed files in the places that may be read, and reads them in the background. */
  "home/read": { readonly params: {  /**  * Goes on after it was stopped; otherwise it stays stopped.  */ goesOn: boolean, }; readonly result: HomeReading };
  /** What the calls of agents on this computer used, by day, project, model, tool or session. */
  "usage/get": { readonly params: {  /**  * Files and folders; empty for all places where agents leave sessions.  */ paths: Array<string>, by: UsageBy,  /**  * The first and the last day, as `2026-11-20`.  */ since: string | null, until: string | null,  /**  * The zone whose days are meant, such as `Europe/Oslo`; that of this computer if absent.  */ timezone: string | null, }; readonly result: Usage };
  /** Events and sessions with words in them, over everything stored. */
  "search/find": { readonly params: { query: string,  /**  * Only in this session, or the one this experiment is laid over.  */ session: string | null,  /**  * Only events of this agent, or `user`.  */ agent: string | null,  /**  * Only calls and results of this tool.  */ tool: string | null,  /**  * `next` of an earlier page.  */ after: string | null, limit: number, }; readonly result: FoundPage };
  /** Places in a session that match what is typed. */
  "palette/search": { readonly params: { session: string, query: string, limit: number, }; readonly result: PaletteResults };
  /** The answer to a question about the session. */
  "palette/ask": { readonly params: { session: string, question: Question,  /**  * The call the cursor is on.  */ cursor: number, }; readonly result: Answer };
  /** What a configuration of compaction would have done to a session. */
  "lab/plan": { readonly params: { session: string, config: string,  /**  * In place of google-adk's summary prompt; with `{conversation_history}` in it.  */ prompt: string | null, summaries: OfflineSummaries, }; readonly result: LabReplay };
  /** Replays a grid of configurations, as a job. */
  "lab/sweep": { readonly params: { session: string, grid: string,  /**  * The size summaries are taken to have; without it, fitted to recorded ones, else a usual size.  */ summaryTokens: number | null, }; readonly result: JobStarted };
  /** The rows of a sweep, as they come. */
  "lab/sweepResult": { readonly params: { job: string,  /**  * So many rows are known: those that came behind them are told.  */ from: number, }; readonly result: LabSweep | null };
  /** What a run with a model would take, before anything is sent. */
  "lab/estimate": { readonly params: { session: string, config: string, prompt: string | null,  /**  * The name of an endpoint of `model/list`.  */ writer: string, model: string | null, }; readonly result: LabEstimate };
  /** Runs a configuration with a model, as a job. */
  "lab/run": { readonly params: { session: string, config: string, prompt: string | null,  /**  * `extractive`, or the name of an endpoint of `model/list`.  */ writer: string,  /**  * The endpoint's model; without it the one of the configuration, else the endpoint's own.  */ model: string | null, }; readonly result: JobStarted };
  /** A run as far as it is. */
  "lab/runResult": { readonly params: {  /**  * The run's id, or its job's.  */ run: string, }; readonly result: LabRun };
  /** Runs over a session, as they are stored. */
  "lab/runs": { readonly params: { session: string, }; readonly result: LabRunList };
  /** Goes on with a run that was stopped or failed, as a job. */
  "lab/resume": { readonly params: { run: string, }; readonly result: JobStarted };
  /** Takes a run out of the store. */
  "lab/forgetRun": { readonly params: { run: string, }; readonly result: Removed };
  /** Lays the summaries of a run over its session, as an edit. */
  "lab/apply": { readonly params: { run: string,  /**  * Of the new experiment. Given, one is made even where the run went over an experiment.  */ name: string | null, }; readonly result: ExperimentDetail };
  /** What runs of several configurations with several models would take. */
  "lab/batchPlan": { readonly params: { choice: BatchChoice, }; readonly result: BatchPlan };
  /** Runs several configurations with several models within a budget, as a job. */
  "lab/batch": { readonly params: { choice: BatchChoice, }; readonly result: BatchStarted };
  /** Goes on with the cells of a batch that have not ended, as a job. */
  "lab/batchResume": { readonly params: { batch: string,  /**  * In place of the budget it had; what it spent counts.  */ budget: BatchBudget | null, }; readonly result: BatchStarted };
  /** A batch as far as it is. */
  "lab/batchResult": { readonly params: { batch: string, }; readonly result: LabBatch };
  /** Batches over a session, as they are stored. */
  "lab/batches": { readonly params: { session: string, }; readonly result: BatchList };
  /** Takes a batch out of the store; its runs stay. */
  "lab/forgetBatch": { readonly params: { batch: string, }; readonly result: Removed };
  /** Questions about a window of a run, and what asking them would cost. */
  "lab/probePlan": { readonly params: { choice: ProbeChoice, }; readonly result: LabProbePlan };
  /** Asks a model about a window, from its events and from its summary, as a job. */
  "lab/probe": { readonly params: { choice: ProbeChoice, }; readonly result: JobStarted };
  /** What a model could answer from a summary. */
  "lab/probeResult": { readonly params: { job: string, }; readonly result: LabProbes };
  /** What the summary of a window no longer tells. */
  "lab/loss": { readonly params: { run: string,  /**  * The window's place in it, from 0.  */ window: number, offset: number, limit: number, }; readonly result: LabLoss };
  /** A call in a provider's form, and what sending it would cost. */
  "call/replayPreview": { readonly params: { session: string, call: number,  /**  * The name of an endpoint.  */ endpoint: string, model: string | null,  /**  * A run of the Lab whose summaries stand in the prompt; without one the prompt is as recorded.  */ run: string | null,  /**  * Pictures and files give way to a word, for models that take none.  */ withoutPictures?: boolean, }; readonly result: ReplayRequest };
  /** Sends a call again, as a job. */
  "call/replay": { readonly params: { session: string, call: number, endpoint: string, model: string | null, run: string | null, withoutPictures?: boolean, }; readonly result: JobStarted };
  /** The answer to a call that was sent again. */
  "call/replayResult": { readonly params: { job: string, }; readonly result: ReplayAnswer };
  /** Endpoints that are set up or were found here, with their models. */
  "model/list": { readonly params: {  /**  * Asks every endpoint again; otherwise what was known a minute ago will do.  */ refresh: boolean, }; readonly result: ModelList };
  /** Sets an endpoint up. */
  "model/save": { readonly params: { endpoint: Endpoint, }; readonly result: ModelList };
  /** Takes an endpoint off the list, with its key. */
  "model/forget": { readonly params: { name: string, }; readonly result: ModelList };
  /** Keeps an endpoint's key in the key store. */
  "model/setKey": { readonly params: { name: string,  /**  * Empty: forgets it.  */ key: string, }; readonly result: ModelList };
  /** Tries an endpoint with one word. */
  "model/test": { readonly params: {  /**  * As set up, or on trial.  */ endpoint: Endpoint, model: string | null, }; readonly result: TestAnswer };
  /** What running an app would start and reach beside models, and whether somebody has agreed to it. */
  "run/deeds": { readonly params: { app: string, }; readonly result: RunDeeds };
  /** Agrees to what running an app starts and reaches. */
  "run/agree": { readonly params: { app: string,  /**  * Of what was shown. Refused where the app would do something else by now.  */ mark: string, }; readonly result: RunDeeds };
  /** Begins to run an app, in a new session or in one that is stored. */
  "run/start": { readonly params: {  /**  * The file of the app's configuration. Absent for that of the session it is run from.  */ app: string | null,  /**  * Who answers: `scripted:FILE`, `echo`, the name of an endpoint, or that with `/MODEL` behind it.  */ model: string,  /**  * A JavaScript file with the app's tools and nodes.  */ tools: string | null,  /**  * A session whose tools' answers are used again.  */ recorded: string | null,  /**  * A call from which a session is run again, in a new one. The turn of the call is taken with the first `run/send`.  */ from: CallPlace | null,  /**  * A session to go on with. One that was imported stays as it is: a new one begins with its events.  */ session: string | null,  /**  * Whose session a new one is; absent for `user`.  */ user: string | null,  /**  * Absent where the usual ones hold.  */ limits: Limits | null,  /**  * When calls are held before they are sent: `always`, `agent=NAME`, `tokens=N`, `cost=DOLLARS`, `break`, `result=N`.  */ holds: Array<string>, }; readonly result: RunStatus };
  /** Says something to a run's agents, or answers what they wait for, as a job. */
  "run/send": { readonly params: { run: string,  /**  * What the user says; empty where only answers are given, or a recorded turn is taken again.  */ message: string,  /**  * Answers to calls that wait. They are given before the message.  */ answers: Array<CallAnswer>, }; readonly result: JobStarted };
  /** A run as it is. */
  "run/get": { readonly params: { run: string, }; readonly result: RunStatus };
  /** What was said and done in a run's session. */
  "run/conversation": { readonly params: { run: string, }; readonly result: RunConversation };
  /** Holds a run's calls on these conditions from now on. */
  "run/setHolds": { readonly params: { run: string, holds: Array<string>, }; readonly result: RunStatus };
  /** Changes what the held call would send. */
  "run/edit": { readonly params: { run: string,  /**  * Made in order, each on what the ones before left.  */ edits: Array<HeldEdit>, }; readonly result: RunStatus };
  /** Decides about the call that is held. */
  "run/release": { readonly params: { run: string, decision: Decision, }; readonly result: RunStatus };
  /** Runs of this program. */
  "run/list": { readonly params: Record<string, never>; readonly result: RunList };
  /** Ends a run; its session stays. */
  "run/stop": { readonly params: { run: string, }; readonly result: RunStatus };
  /** Listens for clients, and writes what they send to their models. */
  "capture/start": { readonly params: {  /**  * The port on this computer; absent for a free one.  */ port: number | null,  /**  * Providers besides the known ones, or at other addresses, as `NAME=URL`.  */ upstreams: Array<string>, }; readonly result: CaptureState };
  /** What clients sent while it listened. */
  "capture/get": { readonly params: Record<string, never>; readonly result: CaptureState };
  /** Listens no more. */
  "capture/stop": { readonly params: Record<string, never>; readonly result: CaptureState };
  /** Holds requests of clients on these conditions before they are sent. */
  "capture/setHolds": { readonly params: {  /**  * `always`, `agent=NAME`, `tokens=N`, `cost=DOLLARS`, `break`, `result=N`.  */ holds: Array<string>, }; readonly result: CaptureState };
  /** Decides about a request that is held. */
  "capture/release": { readonly params: { number: number, decision: CaptureDecision,  /**  * The JSON that is sent in the place of its own.  */ body: string | null, }; readonly result: CaptureState };
  /** Running and ended jobs. */
  "job/list": { readonly params: Record<string, never>; readonly result: JobList };
  /** Asks a job to stop. */
  "job/cancel": { readonly params: { job: string, }; readonly result: JobList };
  /** Takes an ended job off the list. */
  "job/dismiss": { readonly params: { job: string, }; readonly result: JobList };
}
