//! `basic`: the model and the generation settings of the agent, with what the run overrides.

use strata_model::app::{AgentMode, OutputSchema};
use strata_model::{AgentField, Json, LlmRequest, Object, Origin, Str};

use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{Processor, StageOutput};
use crate::sections::Sections;

pub struct Basic;

#[derive(Hash)]
pub struct Inputs<'c> {
    agent: &'c Str,
    model: &'c Str,
    generate_content_config: Option<&'c Object>,
    /// Where the model itself is told the form of its answer.
    response_schema: Option<&'c OutputSchema>,
    http_options: Option<&'c Object>,
    labels: Option<&'c Object>,
}

impl Processor for Basic {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &'static str {
        "basic"
    }

    fn reads(&self) -> Sections {
        Sections::empty()
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let agent = context.agent();
        let can_answer_by_schema =
            !context.index.has_tools(context.agent_id) || context.can_combine_schema_and_tools();
        Inputs {
            agent: &agent.name,
            model: &context.model().name,
            generate_content_config: agent.generate_content_config.as_ref(),
            response_schema: agent
                .output_schema
                .as_ref()
                .filter(|_| can_answer_by_schema && context.mode() != AgentMode::Task),
            http_options: context.invocation.run_config.http_options.as_ref(),
            labels: context.invocation.run_config.labels.as_ref(),
        }
    }

    fn process(
        inputs: Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        request.model = Some(inputs.model.clone()).filter(|model| !model.is_empty());
        let of_agent = |field| Origin::Agent { name: inputs.agent.clone(), field };
        for (name, value) in inputs.generate_content_config.into_iter().flat_map(Object::iter) {
            if !value.is_null() {
                request.set_config(name, value.clone(), of_agent(AgentField::GenerateContentConfig));
            }
        }
        if let Some(options) = inputs.http_options {
            let merged = merge_http_options(request.config_field("httpOptions"), options);
            request.set_config("httpOptions", merged, Origin::Run { field: "http_options".into() });
        }
        if let Some(labels) = inputs.labels.filter(|labels| !labels.is_empty()) {
            let mut merged =
                request.config_field("labels").and_then(Json::as_object).cloned().unwrap_or_default();
            merged.update(labels);
            request.set_config("labels", merged, Origin::Run { field: "labels".into() });
        }
        if let Some(schema) = inputs.response_schema {
            request.set_config(
                "responseSchema",
                schema.json_schema.clone(),
                of_agent(AgentField::OutputSchema),
            );
            request.set_config("responseMimeType", "application/json", Origin::processor("basic"));
        }
        let n_settings = request.config.len();
        let model = match &request.model {
            Some(model) => format!("model {model}"),
            None => "the model is not known".to_owned(),
        };
        output.note(match n_settings {
            0 => model,
            1 => format!("{model}, {}", request.config[0].name),
            _ => format!("{model}, {n_settings} settings"),
        });
        Ok(())
    }
}

/// The run's options win. Where the agent has options too, only headers, time-out, retries and extra body are taken
/// over: where a request goes is the agent's business.
fn merge_http_options(of_agent: Option<&Json>, of_run: &Object) -> Object {
    let Some(of_agent) = of_agent.and_then(Json::as_object) else { return of_run.clone() };
    let mut merged = of_agent.clone();
    if let Some(Json::Object(headers)) = of_run.get("headers").filter(|headers| headers.is_truthy()) {
        let mut all = merged.get("headers").and_then(Json::as_object).cloned().unwrap_or_default();
        all.update(headers);
        merged.insert("headers", all);
    }
    for field in ["timeout", "retryOptions", "extraBody"] {
        if let Some(value) = of_run.get(field).filter(|value| !value.is_null()) {
            merged.insert(field, value.clone());
        }
    }
    merged
}
