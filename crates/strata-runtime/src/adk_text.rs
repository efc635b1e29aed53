//! Text that google-adk 2.13.0 writes into events, answers and errors at run time, needed byte for byte.
//!
//! These strings are data of the Agent Development Kit (Copyright Google LLC, Apache License 2.0), reproduced here and
//! nowhere else so that runs leave the events that ADK's leave. Names in `«»` are places to fill.

/// Fills the places of a text.
pub(crate) fn filled(text: &str, places: &[(&str, &str)]) -> String {
    places.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("«{name}»"), value))
}

pub(crate) const OUTPUT_ALREADY_SET: &str = "Output already set. A node can produce at most one output.";
/// The name of the agent where there is none.
pub(crate) const NO_AGENT: &str = "unknown";
pub(crate) const AGENT_REQUIRED: &str = "LLM flow requires an agent in InvocationContext.";
pub(crate) const CALL_LIMIT: &str = "Max number of llm calls limit of `«N»` exceeded";
pub(crate) const NO_ARTIFACTS: &str = "Artifact service is not initialized.";
pub(crate) const NO_MEMORY: &str = "Memory service is not available.";
pub(crate) const NO_MEMORY_TO_ADD_TO: &str = "Cannot add session to memory: memory service is not available.";
pub(crate) const CONFIRMATION_NEEDS_CALL: &str =
    "request_confirmation requires function_call_id. This method can only be used in a tool context.";
pub(crate) const CREDENTIAL_NEEDS_CALL: &str = "request_credential requires function_call_id. This method can only be used in a tool context, not a callback context. Consider using save_credential/load_credential instead.";

pub(crate) const SESSION_NOT_FOUND: &str = "Session not found: «ID»";
pub(crate) const PLUGIN_TWICE: &str = "Plugin with name '«NAME»' already registered.";
pub(crate) const ROOT_REQUIRED: &str = "root_agent must be provided.";
pub(crate) const ROOT_MODE: &str =
    "LlmAgent as root agent must have mode='chat' or 'task', but got mode='single_turn'.";
pub(crate) const MIXED_MESSAGE: &str = "Message cannot contain both function responses and text. Function responses resume an existing invocation while text starts a new one.";
pub(crate) const CALLS_IN_MESSAGE: &str = "User message cannot contain function calls.";
pub(crate) const NO_PARTS: &str = "No parts in the new_message.";
pub(crate) const NOTHING_TO_RUN: &str = "Running an agent requires either a new_message or an invocation_id to resume a previous invocation. Session: «SESSION», User: «USER»";
pub(crate) const NOT_RESUMABLE: &str =
    "Running an agent requires a new_message or a resumable app. Session: «SESSION», User: «USER»";
pub(crate) const MESSAGE_REQUIRED: &str = "A new message is required when no invocation can be resumed.";
pub(crate) const RESPONSE_ID_REQUIRED: &str = "Function response id is required to resume an invocation.";
pub(crate) const NO_EVENTS_TO_RESUME: &str = "Session «ID» has no events to resume.";
pub(crate) const NO_USER_MESSAGE: &str = "No user message available for resuming invocation: «ID»";
pub(crate) const UPLOADED_FILE: &str = "Uploaded file: «NAME». It is saved into artifacts";
pub(crate) const PLUGIN_FAILED: &str =
    "Error in plugin '«PLUGIN»' during '«HOOK»_callback' callback: «ERROR»";
pub(crate) const ABORTED_CODE: &str = "INVOCATION_ABORTED";
pub(crate) const ABORTED: &str = "Invocation was aborted by client.";

pub(crate) const NO_CONTENT_CODE: &str = "MODEL_RETURNED_NO_CONTENT";
pub(crate) const NO_CONTENT: &str = "The model returned no content (finish_reason=STOP with empty parts).";
pub(crate) const NO_MEANINGFUL_CONTENT: &str = "The model returned no actionable content (finish_reason=STOP with thought-only or whitespace-only parts).";

pub(crate) const CONFIRMATION_HINT: &str = "Please approve or reject the tool call «NAME»() by responding with a FunctionResponse with an expected ToolConfirmation payload.";
pub(crate) const MISSING_PARAMETERS: &str = "Invoking `«NAME»()` failed as the following mandatory input parameters are not present:\n«PARAMETERS»\nYou could retry calling this tool, but it is IMPORTANT for you to provide all the mandatory parameters.";
pub(crate) const TASK_COMPLETED: &str = "Task completed.";
pub(crate) const TASK_FAILED: &str = "Task failed.";
pub(crate) const FINISH_WHILE_DELEGATING: &str = "finish_task was ignored because a task delegation was sent in the same turn. Call finish_task by itself once the delegated result is available.";
pub(crate) const AGENT_TOOL_PENDING: &str = "Error: agent «NAME» stopped waiting on unresolved long-running tool call(s) (pending call ids: «IDS»), which AgentTool cannot resume.";
pub(crate) const BAD_AGENT_INPUT: &str = "Error validating input: «ERROR»";
pub(crate) const SUB_AGENT_FAILED: &str = "Error running sub-agent: «ERROR»";
pub(crate) const BAD_TOOL_ARGUMENTS: &str = "Invoking `«NAME»()` failed due to argument validation errors:\n«ERROR»\nYou could retry calling this tool with corrected argument types.";
pub(crate) const REQUEST_ARGUMENT_MISSING: &str = "Missing required argument \"request\".";

pub(crate) const TRANSFER_TO_SELF: &str = "Agent '«NAME»' cannot transfer to itself.";
pub(crate) const TRANSFER_TO_PARENT: &str =
    "Cannot transfer from '«FROM»' to parent agent '«TO»': disallow_transfer_to_parent is set.";
pub(crate) const TRANSFER_TO_PEER: &str =
    "Cannot transfer from '«FROM»' to peer agent '«TO»': disallow_transfer_to_peers is set.";
pub(crate) const TRANSFER_UNKNOWN: &str = "Transfer target agent '«NAME»' not found.";
pub(crate) const TRANSFER_UNRELATED: &str = "Cannot transfer from '«FROM»' to unrelated agent '«TO»'.";
pub(crate) const TRANSFER_AVAILABLE: &str = "\nAvailable agents: «NAMES»";
pub(crate) const AGENT_NOT_FOUND: &str = "Agent «NAME» not found in the agent tree.";
pub(crate) const TRANSFER_NOT_ALLOWED: &str = "Agent «FROM» is not allowed to transfer to agent «TO».";
pub(crate) const ONLY_AGENTS_TRANSFER: &str = "Only agents can request an agent transfer.";
pub(crate) const NOBODY_TO_RESUME: &str =
    "No agent to transfer to for resuming agent from function response «NAME»";

pub(crate) const DETACHED_QUESTION: &str = "A dynamic node started without awaiting ctx.run_node() requested human input, but a detached node cannot be resumed. Await ctx.run_node() directly.";
pub(crate) const NODE_TIMED_OUT: &str = "Node '«NAME»' timed out after «SECONDS» seconds.";
pub(crate) const RERUN_REQUIRED: &str = "A node must have rerun_on_resume=True. Reason is that dynamically scheduled nodes might be interrupted, and the workflow wakes-up/re-runs the parent node, so it can get the child node response.";
pub(crate) const DELEGATE_TWICE: &str = "Node «PATH» already has a use_as_output delegate.";
pub(crate) const NUMERIC_RUN_ID: &str = "Explicit run_id \"«ID»\" for node \"«NAME»\" must contain non-numeric characters to prevent collision with auto-generated IDs.";
pub(crate) const MISSING_PARAMETER: &str = "Missing value for parameter \"«PARAMETER»\" of function \"«NAME»\". It was not found in «SOURCE» and has no default value.";
pub(crate) const SEVERAL_OUTPUTS: &str = "Workflow «NAME»: multiple terminal nodes produced output («N»). A workflow must have at most one terminal output.";
pub(crate) const TOOL_NODE_INPUT: &str =
    "The input to ToolNode must be a dictionary of tool arguments or None, but got «TYPE».";
pub(crate) const NODE_CONFIRMATION: &str = "Please approve or reject the tool call «NAME»().";
pub(crate) const REPLAY_DIVERGED: &str =
    "Replay divergence detected: Timed out waiting for sequence key '«KEY»' to be unblocked.";
pub(crate) const BAD_ANSWER: &str = "Validation failed for interrupt «ID»: «ERROR»";
pub(crate) const BAD_OBJECT: &str = "Validation failed for object schema: «ERROR»";
pub(crate) const BAD_VALUE: &str = "Failed to coerce data to «TYPE»: «ERROR»";
pub(crate) const BAD_REPLAYED_OUTPUT: &str =
    "Validation failed for rehydrated output against schema: «ERROR»";
pub(crate) const CONFIRMATION_NEEDS_RERUN: &str = "FunctionNode with require_confirmation requires rerun_on_resume=True. The node must rerun after confirmation is provided.";
pub(crate) const BAD_CONFIRMATION: &str =
    "A tool confirmation response must be a ToolConfirmation payload, but got «TYPE».";
pub(crate) const INVALID_CONFIRMATION: &str = "Invalid tool confirmation response: «RESPONSE»";
pub(crate) const TOOL_CONFIRMATION_DESCRIPTION: &str = "Represents a tool confirmation configuration.";
pub(crate) const NO_AUTH_CONFIG: &str =
    "Cannot resume auth for tool node «PATH»: no AuthConfig found for interrupt «ID».";
pub(crate) const UNKNOWN_STATE_KEY: &str =
    "Key '«KEY»' is not declared in state schema '«SCHEMA»'. Declared fields: «FIELDS»";
pub(crate) const BAD_STATE_VALUE: &str =
    "Value for '«KEY»' does not satisfy field '«KEY»' («TYPE») in '«SCHEMA»': «ERROR»";
pub(crate) const UNDECLARED_PARAMETER: &str = "FunctionNode «NODE» parameter «PARAMETER» is not declared in state_schema «SCHEMA». Declared fields: «FIELDS»";

pub(crate) const GRAPH_DUPLICATES: &str = "Graph validation failed. Duplicate node names found: «NAMES». This means multiple distinct node objects have the same name. If you intended to reuse the same node, ensure you pass the exact same object instance. If you intended to have distinct nodes, ensure they have unique names.";
pub(crate) const GRAPH_NO_START: &str =
    "Graph validation failed. START node (name: '__START__') not found in graph nodes.";
pub(crate) const GRAPH_START_ROUTE: &str =
    "Graph validation failed. Edges from START must not have routes (edge to «TO» has route «ROUTE»).";
pub(crate) const GRAPH_UNREACHABLE: &str =
    "Graph validation failed. The following nodes are unreachable from START: «NAMES»";
pub(crate) const GRAPH_INTO_START: &str = "Graph validation failed. START node must not have incoming edges.";
pub(crate) const GRAPH_DUPLICATE_EDGE: &str =
    "Graph validation failed. Duplicate edge found: from=«FROM», to=«TO»";
pub(crate) const GRAPH_DEFAULT_IN_LIST: &str = "Graph validation failed. DEFAULT_ROUTE cannot be combined with other routes in a list (edge from=«FROM», to=«TO»). Use a separate edge for DEFAULT_ROUTE.";
pub(crate) const GRAPH_CYCLE: &str = "Graph validation failed. Unconditional cycle detected: «CYCLE». Cycles must include at least one conditional (routed) edge to avoid infinite loops.";
pub(crate) const GRAPH_SCHEMAS: &str = "Graph validation failed. Schema mismatch on edge «FROM» -> «TO». Output schema «OUTPUT» does not match input schema «INPUT».";
pub(crate) const GRAPH_CHAT: &str = "The agent '«AGENT»' has been added to the workflow with mode='chat' following node '«NODE»'. This is not supported because chat-mode agents rely on conversational history (session events) and cannot consume direct node inputs from preceding nodes. Please change the agent's mode to 'single_turn'";
pub(crate) const FUNCTION_NAME: &str = "FunctionNode must have a name. If the wrapped callable does not have a '__name__' attribute, please provide a name explicitly.";
pub(crate) const NODE_NAME: &str = "Node name '«NAME»' must be a valid Python identifier.";
pub(crate) const WORKER_COUNT: &str = "max_parallel_workers must be greater than or equal to 1.";
pub(crate) const WORKER_COUNT_ALONE: &str =
    "max_parallel_workers can only be set when parallel_worker is True.";
pub(crate) const NODE_TOOL_AGENT: &str =
    "Agent '«NAME»' cannot be wrapped as a NodeTool. Agents should be invoked as Sub-Agents instead.";
pub(crate) const NODE_TOOL_INPUT: &str = "Node '«NAME»' does not have an input_schema defined. NodeTool requires an explicit Pydantic input_schema on the wrapped node.";
pub(crate) const AGENT_NAME: &str = "Found invalid agent name: `«NAME»`. Agent name must be a valid identifier. It should start with a letter (a-z, A-Z) or an underscore (_), and can only contain letters, digits (0-9), and underscores.";
pub(crate) const AGENT_NAMED_USER: &str =
    "Agent name cannot be `user`. `user` is reserved for end-user's input.";

pub(crate) const REFLECT_TYPE: &str = "ERROR_HANDLED_BY_REFLECT_AND_RETRY_PLUGIN";
pub(crate) const REFLECT: &str = "The call to tool `«TOOL»` failed.\n\n**Error Details:**\n```\n«ERROR»\n```\n\n**Tool Arguments Used:**\n```json\n«ARGS»\n```\n\n**Reflection Guidance:**\nThis is retry attempt **«N» of «MOST»**. Analyze the error and the arguments you provided. Do not repeat the exact same call. Consider the following before your next attempt:\n\n1.  **Invalid Parameters**: Does the error suggest that one or more arguments are incorrect, badly formatted, or missing? Review the tool's schema and your arguments.\n2.  **State or Preconditions**: Did a previous step fail or not produce the necessary state/resource for this tool to succeed?\n3.  **Alternative Approach**: Is this the right tool for the job? Could another tool or a different sequence of steps achieve the goal?\n4.  **Simplify the Task**: Can you break the problem down into smaller, simpler steps?\n5.  **Wrong Function Name**: Does the error indicates the tool is not found? Please check again and only use available tools.\n\nFormulate a new plan based on your analysis and try a corrected or different approach.";
pub(crate) const REFLECT_EXCEEDED: &str = "The tool `«TOOL»` has failed consecutively «MOST» times and the retry limit has been exceeded.\n\n**Last Error:**\n```\n«ERROR»\n```\n\n**Last Arguments Used:**\n```json\n«ARGS»\n```\n\n**Final Instruction:**\n**Do not attempt to use the `«TOOL»` tool again for this task.** You must now try a different approach. Acknowledge the failure and devise a new strategy, potentially using other available tools or informing the user that the task cannot be completed.";
pub(crate) const UPLOADED_ARTIFACT: &str = "[Uploaded Artifact: \"«NAME»\"]";
pub(crate) const BAD_MODEL_RESPONSE: &str = "Validation Error found:\n«ERROR»\nRecall the set_model_response function correctly, fix the errors, and call it again with all required fields using the correct types.";
pub(crate) const BAD_TASK_RESULT: &str = "Invoking `finish_task()` failed due to validation errors:\n«ERROR»\nYou could retry calling this tool, but it is IMPORTANT for you to provide all the mandatory parameters with correct types.";
pub(crate) const ASK_KEY: &str = "Please provide your API key for «NAME».";
pub(crate) const ASK_AUTH_FLOW: &str = "Please complete the authentication flow.";
pub(crate) const ASK_CREDENTIALS: &str = "Please provide your authentication credentials.";
pub(crate) const BAD_CREDENTIAL: &str = "The auth response is malformed or does not carry back the state generated for this auth request. Return the auth config from the credential request with the authorization result filled in.";
