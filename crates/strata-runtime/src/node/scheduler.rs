//! Decides for each node that is started whether it runs, is waited for, or is taken from what it did before.
//!
//! Runs are known by their path. What a path came to earlier in the invocation is read from the events when it is
//! asked for; what it came to in this run is kept here.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use strata_engine::branch;
use strata_model::{Json, Object, Str};

use super::barrier::Barrier;
use super::history::{Decision, PastRun, ScanScope, completion_order, decide, states};
use super::runner::{self, Start};
use super::{inputs, transfer};
use crate::adk_text::{ONLY_AGENTS_TRANSFER, REPLAY_DIVERGED, filled};
use crate::context::{Context, CounterSnapshot, NodeScope, Scheduling};
use crate::halt::{Failure, Halt};
use crate::host::Value;
use crate::program::Node;
use crate::run_node::RunNode;
use crate::tasks::{WAITING_FOR_SEVERAL, step_back};

/// How long something that is taken again waits for its turn, in seconds.
const TURN_SECONDS: f64 = 15.0;

pub(crate) struct Scheduler {
    state: Mutex<State>,
    /// False where it only follows transfers: then every node simply runs.
    replays: bool,
}

#[derive(Default)]
struct State {
    /// By path.
    runs: HashMap<Str, KnownRun>,
    /// By the path above and the node's name: the last number given.
    counters: HashMap<Str, HashMap<Str, u64>>,
    /// By the path above.
    barriers: HashMap<Str, Arc<Barrier>>,
    interrupts: Vec<Str>,
}

/// A run of a node, under way or ended, in this run of the app or earlier in the invocation.
#[derive(Clone, Default)]
struct KnownRun {
    status: Status,
    output: Option<Value>,
    route: Option<Json>,
    branch: Option<Str>,
    transfer_to: Option<Str>,
    interrupts: Vec<Str>,
    past: Option<PastRun>,
    is_static: bool,
    running: Option<Shared<BoxFuture<'static, Result<Context, Halt>>>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Status {
    #[default]
    Pending,
    Running,
    Completed,
    Waiting,
    Failed,
}

impl Scheduling for Scheduler {
    fn run(self: Arc<Self>, parent: &Context, run: RunNode) -> BoxFuture<'static, Result<Context, Halt>> {
        let parent = parent.clone();
        Box::pin(async move { self.follow(&parent, run).await })
    }

    fn run_one(self: Arc<Self>, parent: &Context, run: RunNode) -> BoxFuture<'static, Result<Context, Halt>> {
        let parent = parent.clone();
        Box::pin(async move { self.step(&parent, run).await })
    }

    fn snapshot(&self, path: &str) -> CounterSnapshot {
        let state = self.state.lock();
        let below = state.counters.iter().filter(|(known, _)| is_at_or_below(known, path));
        below.map(|(known, counters)| (known.clone(), counters.clone())).collect()
    }

    fn restore(&self, path: &str, snapshot: CounterSnapshot) {
        let mut state = self.state.lock();
        state.counters.retain(|known, _| !is_at_or_below(known, path));
        state.counters.extend(snapshot);
    }
}

impl Scheduler {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::default(), replays: true }
    }

    /// For nodes that are started outside of workflows: transfers are followed, and nothing is taken again.
    pub(crate) fn for_transfers() -> Self {
        Self { state: Mutex::default(), replays: false }
    }

    pub(crate) fn next_run_id(&self, parent_path: &str, name: &Str) -> Str {
        let mut state = self.state.lock();
        let counter = state.counters.entry(parent_path.into()).or_default().entry(name.clone()).or_default();
        *counter += 1;
        counter.to_string().into()
    }

    /// Takes the run ids along a path for given.
    fn reserve(&self, path: &str) {
        let mut state = self.state.lock();
        let mut rest = path;
        while !rest.is_empty() {
            let (parent, segment) = rest.rsplit_once('/').unwrap_or(("", rest));
            if let Some((name, run)) = segment.rsplit_once('@')
                && let Ok(run) = run.parse::<u64>()
            {
                let counter =
                    state.counters.entry(parent.into()).or_default().entry(name.into()).or_default();
                *counter = (*counter).max(run);
            }
            rest = parent;
        }
    }

    /// Notes an earlier run of a node of the graph.
    pub(crate) fn know_static(&self, path: Str, past: PastRun) {
        let known = KnownRun { past: Some(past), is_static: true, ..KnownRun::default() };
        self.state.lock().runs.entry(path).or_insert(known);
    }

    pub(crate) fn set_barrier(&self, path: &str, barrier: Arc<Barrier>) {
        self.state.lock().barriers.insert(path.into(), barrier);
    }

    pub(crate) fn add_interrupts(&self, ids: impl IntoIterator<Item = Str>) {
        let mut state = self.state.lock();
        for id in ids {
            if !state.interrupts.contains(&id) {
                state.interrupts.push(id);
            }
        }
    }

    pub(crate) fn interrupts(&self) -> Vec<Str> {
        self.state.lock().interrupts.clone()
    }

    /// Nodes that were started and have not ended, with nobody waiting for them.
    pub(crate) fn running(&self) -> Vec<Shared<BoxFuture<'static, Result<Context, Halt>>>> {
        let state = self.state.lock();
        let mut running: Vec<(&Str, _)> = state
            .runs
            .iter()
            .filter(|(_, run)| run.status == Status::Running)
            .filter_map(|(path, run)| Some((path, run.running.clone()?)))
            .collect();
        running.sort_by(|a, b| a.0.cmp(b.0));
        running.into_iter().map(|(_, run)| run).collect()
    }

    async fn follow(self: Arc<Self>, context: &Context, run: RunNode) -> Result<Context, Halt> {
        let mut parent = context.clone();
        let mut step = run.clone();
        loop {
            step.use_as_output = run.use_as_output && parent.is_same(context);
            // A place in the tree belongs to the scheduler that numbers the runs there.
            let own = parent.run().scheduler.clone();
            let scheduler = own.unwrap_or_else(|| self.clone());
            let child = scheduler.run_one(&parent, step.clone()).await?;
            let (is_over, target) = {
                let ended = child.run();
                if self.replays {
                    self.add_interrupts(ended.interrupts.iter().cloned());
                }
                (ended.error.is_some() || !ended.interrupts.is_empty(), ended.transfer_to.clone())
            };
            let Some(target) = target.filter(|_| !is_over) else { return Ok(child) };
            let Some(agent) = step.node.agent() else {
                return Err(Failure::value_error(ONLY_AGENTS_TRANSFER).into());
            };
            let program = context.invocation().run.program.clone();
            let handover = transfer::resolve(program.index(), agent, &target, &child, &parent)?;
            parent = handover.place;
            step.node = program.agent_of(handover.agent, &handover.tree);
            step.input = Value::NONE;
            step.run_id = None;
            step.resume_inputs = None;
        }
    }

    async fn step(self: Arc<Self>, parent: &Context, mut run: RunNode) -> Result<Context, Halt> {
        let parent_path = parent.node_path().clone();
        let name = run.node.name.clone();
        let run_id = match run.run_id.take().filter(|id| !id.is_empty()) {
            Some(run_id) => run_id,
            None if self.replays => self.next_run_id(&parent_path, &name),
            None => "1".into(),
        };
        if self.replays && parent_path.is_empty() {
            self.reserve(&runner::path_of(&run.node, &run_id, parent));
        }
        let segment = format!("{name}@{run_id}");
        let path: Str = if parent_path.is_empty() {
            segment.clone().into()
        } else {
            format!("{parent_path}/{segment}").into()
        };
        if run.isolation_scope.is_none() && run.node.is_task() {
            run.isolation_scope = Some(path.clone());
        }
        run.run_id = Some(run_id);
        if !self.replays {
            return runner::run(start(parent, &run)).await;
        }
        if !parent_path.is_empty() {
            self.prepare_barrier(parent);
        }
        if !run.input.is_none() {
            run.input = inputs::validated(&run.node, run.input)?;
        }
        if !self.state.lock().runs.contains_key(&path) {
            self.recover(parent, &path)?;
        }
        let known = self.state.lock().runs.get(&path).cloned();
        let child = match known {
            Some(known) => self.take_or_rerun(parent, run, &path, known).await?,
            None => self.run_fresh(parent, run, &path, KnownRun::default()).await?,
        };
        let barrier = self.state.lock().barriers.get(&parent_path).cloned();
        if let Some(barrier) = barrier {
            barrier.advance(&segment);
        }
        Ok(child)
    }

    fn prepare_barrier(&self, parent: &Context) {
        let path = parent.node_path();
        if self.state.lock().barriers.contains_key(path) {
            return;
        }
        let invocation = parent.invocation();
        let events = invocation.run.session.lock().live_events_of(&invocation.id);
        let barrier = Arc::new(Barrier::new(completion_order(&events, path, true)));
        self.set_barrier(path, barrier);
    }

    /// Looks up what a path came to earlier in the invocation.
    fn recover(&self, parent: &Context, path: &Str) -> Result<(), Halt> {
        let invocation = parent.invocation();
        let events = invocation.run.session.lock().live_events_of(&invocation.id);
        if let Some((_, past)) = states(&events, ScanScope::Run(path))?.into_iter().next() {
            let known = KnownRun { past: Some(past), ..KnownRun::default() };
            self.state.lock().runs.insert(path.clone(), known);
        }
        Ok(())
    }

    async fn take_or_rerun(
        &self,
        parent: &Context,
        mut run: RunNode,
        path: &Str,
        known: KnownRun,
    ) -> Result<Context, Halt> {
        if let Some(running) = known.running.clone().filter(|_| known.status == Status::Running) {
            return running.await;
        }
        let decision = decision(&run.node, &known)?;
        if decision.runs {
            run.resume_inputs = decision.resume_inputs.filter(|answers| !answers.is_empty());
            let scope = known.past.as_ref().and_then(|past| past.isolation_scope.clone());
            run.isolation_scope = scope.or(run.isolation_scope);
            return self.run_fresh(parent, run, path, known).await;
        }
        self.add_interrupts(decision.interrupts.iter().cloned());
        let taken = taken(parent, &run, path, &known, &decision);
        if decision.interrupts.is_empty()
            && let Some(known) = self.state.lock().runs.get_mut(path)
        {
            known.output = decision.output;
            known.route = decision.route;
            known.transfer_to = decision.transfer_to;
        }
        self.wait_for_turn(parent, path).await?;
        Ok(taken)
    }

    /// What is taken again waits for what ended before it.
    async fn wait_for_turn(&self, parent: &Context, path: &Str) -> Result<(), Halt> {
        let key = path.rsplit('/').next().unwrap_or_default();
        let Some(barrier) = self.state.lock().barriers.get(parent.node_path()).cloned() else {
            return Ok(());
        };
        let invocation = parent.invocation();
        let turn = barrier.wait(key);
        let patience = invocation.run.host.clock.sleep(TURN_SECONDS);
        step_back(1).await;
        let is_its_turn = invocation
            .wait(async {
                futures_util::pin_mut!(turn);
                matches!(
                    futures_util::future::select(turn, patience).await,
                    futures_util::future::Either::Left(_)
                )
            })
            .await?;
        if is_its_turn {
            step_back(WAITING_FOR_SEVERAL + 1).await;
            return Ok(());
        }
        Err(Failure::new("WorkflowInvariantError", filled(REPLAY_DIVERGED, &[("KEY", key)])).into())
    }

    async fn run_fresh(
        &self,
        parent: &Context,
        run: RunNode,
        path: &Str,
        known: KnownRun,
    ) -> Result<Context, Halt> {
        let start = start(parent, &run);
        let mut invocation = parent.invocation();
        if let Some(cancel) = run.cancel.clone() {
            invocation.cancel = cancel;
        }
        let handle = invocation.spawn(|own| runner::run(Start { cancel: Some(own.cancel), ..start }));
        let running = handle.boxed().shared();
        let entry = KnownRun { status: Status::Running, running: Some(running.clone()), ..known };
        self.state.lock().runs.insert(path.clone(), entry);
        match running.await {
            Ok(child) => {
                self.record(path, &child, &run.node);
                Ok(child)
            }
            Err(Halt::Cancelled) => {
                self.state.lock().runs.remove(path);
                Err(Halt::Cancelled)
            }
            Err(halt) => {
                if let Some(known) = self.state.lock().runs.get_mut(path) {
                    known.running = None;
                }
                Err(halt)
            }
        }
    }

    fn record(&self, path: &Str, child: &Context, node: &Node) {
        let branch = child.invocation().branch;
        let ended = child.run();
        let mut state = self.state.lock();
        let Some(known) = state.runs.get_mut(path) else { return };
        known.running = None;
        known.route.clone_from(&ended.route);
        known.branch = branch;
        known.status = if ended.error.is_some() {
            Status::Failed
        } else if !ended.interrupts.is_empty() {
            known.interrupts.clone_from(&ended.interrupts);
            Status::Waiting
        } else if let Some(target) = &ended.transfer_to {
            known.transfer_to = Some(target.clone());
            Status::Completed
        } else if node.wait_for_output && ended.output.is_none() && ended.route.is_none() {
            Status::Waiting
        } else {
            known.output.clone_from(&ended.output);
            Status::Completed
        };
        let interrupts = known.interrupts.clone();
        for id in interrupts {
            if !state.interrupts.contains(&id) {
                state.interrupts.push(id);
            }
        }
    }
}

/// What a node did in this run of the app goes before what it did earlier.
fn decision(node: &Node, known: &KnownRun) -> Result<Decision, Halt> {
    if !known.is_static {
        let answers = known.past.as_ref().map(|past| past.answers.clone());
        match known.status {
            Status::Completed => {
                return Ok(Decision {
                    output: known.output.clone(),
                    route: known.route.clone(),
                    transfer_to: known.transfer_to.clone(),
                    ..Decision::default()
                });
            }
            Status::Failed => {
                return Ok(Decision { runs: true, resume_inputs: answers, ..Decision::default() });
            }
            Status::Waiting if !known.interrupts.is_empty() => {
                return Ok(Decision { interrupts: known.interrupts.clone(), ..Decision::default() });
            }
            Status::Waiting | Status::Pending | Status::Running => {}
        }
    }
    match &known.past {
        None => Ok(Decision { runs: true, ..Decision::default() }),
        Some(past) => Ok(decide(node, past, Some(known.is_static))?),
    }
}

/// A context with the results of an earlier run.
fn taken(parent: &Context, run: &RunNode, path: &Str, known: &KnownRun, decision: &Decision) -> Context {
    let mut invocation = parent.invocation();
    let base = run.branch.clone().or_else(|| invocation.branch.clone());
    let scheduled = if run.use_sub_branch {
        let segment = path.rsplit('/').next().unwrap_or_default();
        Some(branch::sub_branch(base.as_deref(), segment).into())
    } else {
        base
    };
    let not_empty = |branch: &Option<Str>| branch.clone().filter(|branch| !branch.is_empty());
    let past = known.past.as_ref().and_then(|past| not_empty(&past.branch));
    if let Some(branch) = not_empty(&known.branch).or(past).or(scheduled) {
        invocation.branch = Some(branch).filter(|branch| !branch.is_empty());
    }
    let context = Context::of_node(NodeScope {
        invocation,
        parent: parent.clone(),
        node: run.node.clone(),
        node_path: path.clone(),
        run_id: run.run_id.clone().unwrap_or_default(),
        attempt: 1,
        resume_inputs: Object::new(),
        is_parents_output: false,
    });
    let mut taken = context.run();
    if known.is_static {
        let above = parent.run();
        let claimer = run.use_as_output.then(|| parent.node_path().clone());
        taken.output_for = claimer.into_iter().chain(above.output_for.iter().cloned()).collect();
    }
    taken.is_output_emitted = decision.output.is_some();
    taken.output.clone_from(&decision.output);
    taken.route.clone_from(&decision.route);
    taken.interrupts.clone_from(&decision.interrupts);
    taken.transfer_to.clone_from(&decision.transfer_to);
    drop(taken);
    context
}

fn start(parent: &Context, run: &RunNode) -> Start {
    Start {
        node: run.node.clone(),
        parent: parent.clone(),
        run_id: run.run_id.clone().unwrap_or_else(|| "1".into()),
        input: run.input.clone(),
        resume_inputs: run.resume_inputs.clone(),
        is_parents_output: run.use_as_output,
        use_sub_branch: run.use_sub_branch,
        branch: run.branch.clone(),
        isolation_scope: run.isolation_scope.clone(),
        cancel: run.cancel.clone(),
    }
}

fn is_at_or_below(known: &str, path: &str) -> bool {
    known == path || (!path.is_empty() && known.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
}
