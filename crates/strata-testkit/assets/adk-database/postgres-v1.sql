-- What google-adk 2.13's DatabaseSessionService makes on PostgreSQL: two sessions in which something was said, and an empty one.
CREATE TABLE adk_internal_metadata (
    key character varying(128) NOT NULL,
    value character varying(256) NOT NULL
);
CREATE TABLE app_states (
    app_name character varying(128) NOT NULL,
    state jsonb NOT NULL,
    update_time timestamp without time zone NOT NULL
);
CREATE TABLE events (
    id character varying(128) NOT NULL,
    app_name character varying(128) NOT NULL,
    user_id character varying(128) NOT NULL,
    session_id character varying(128) NOT NULL,
    invocation_id character varying(256) NOT NULL,
    "timestamp" timestamp without time zone NOT NULL,
    event_data jsonb
);
CREATE TABLE sessions (
    app_name character varying(128) NOT NULL,
    user_id character varying(128) NOT NULL,
    id character varying(128) NOT NULL,
    state jsonb NOT NULL,
    create_time timestamp without time zone NOT NULL,
    update_time timestamp without time zone NOT NULL
);
CREATE TABLE user_states (
    app_name character varying(128) NOT NULL,
    user_id character varying(128) NOT NULL,
    state jsonb NOT NULL,
    update_time timestamp without time zone NOT NULL
);
INSERT INTO adk_internal_metadata VALUES ('schema_version', '1');
INSERT INTO app_states VALUES ('weather', '{"unit": "C"}', '2026-11-27 18:40:55.143941');
INSERT INTO events VALUES ('ann-e1', 'weather', 'ann', 's-ann', 'ann-i1', '2025-11-24 16:00:01.25', '{"id": "ann-e1", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Weather in Oslo? æøå 🌦"}]}, "node_info": {"path": ""}, "timestamp": 1764000001.25, "invocation_id": "ann-i1"}');
INSERT INTO events VALUES ('ann-e2', 'weather', 'ann', 's-ann', 'ann-i1', '2025-11-24 16:00:02.25', '{"id": "ann-e2", "author": "root", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"function_call": {"id": "c1", "args": {"city": "Oslo"}, "name": "get_weather"}}]}, "node_info": {"path": ""}, "timestamp": 1764000002.25, "invocation_id": "ann-i1", "model_version": "gemini-2.5-flash", "usage_metadata": {"total_token_count": 132, "prompt_token_count": 120, "candidates_token_count": 12, "cached_content_token_count": 64}}');
INSERT INTO events VALUES ('ann-e3', 'weather', 'ann', 's-ann', 'ann-i1', '2025-11-24 16:00:03.25', '{"id": "ann-e3", "author": "root", "actions": {"state_delta": {"turn": 1, "user:last": "Oslo"}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"function_response": {"id": "c1", "name": "get_weather", "response": {"celsius": 4.0}}}]}, "node_info": {"path": ""}, "timestamp": 1764000003.25, "invocation_id": "ann-i1"}');
INSERT INTO events VALUES ('ann-e4', 'weather', 'ann', 's-ann', 'ann-i1', '2025-11-24 16:00:04.25', '{"id": "ann-e4", "author": "root", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"text": "4 °C."}]}, "node_info": {"path": ""}, "timestamp": 1764000004.25, "invocation_id": "ann-i1", "model_version": "gemini-2.5-flash", "usage_metadata": {"total_token_count": 155, "prompt_token_count": 150, "candidates_token_count": 5}}');
INSERT INTO events VALUES ('bob-e1', 'weather', 'bob', 's-bob', 'bob-i1', '2025-11-24 16:00:01.25', '{"id": "bob-e1", "author": "user", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"text": "Weather in Oslo? æøå 🌦"}]}, "node_info": {"path": ""}, "timestamp": 1764000001.25, "invocation_id": "bob-i1"}');
INSERT INTO events VALUES ('bob-e2', 'weather', 'bob', 's-bob', 'bob-i1', '2025-11-24 16:00:02.25', '{"id": "bob-e2", "author": "root", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"function_call": {"id": "c1", "args": {"city": "Oslo"}, "name": "get_weather"}}]}, "node_info": {"path": ""}, "timestamp": 1764000002.25, "invocation_id": "bob-i1", "model_version": "gemini-2.5-flash", "usage_metadata": {"total_token_count": 132, "prompt_token_count": 120, "candidates_token_count": 12, "cached_content_token_count": 64}}');
INSERT INTO events VALUES ('bob-e3', 'weather', 'bob', 's-bob', 'bob-i1', '2025-11-24 16:00:03.25', '{"id": "bob-e3", "author": "root", "actions": {"state_delta": {"turn": 1, "user:last": "Oslo"}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "user", "parts": [{"function_response": {"id": "c1", "name": "get_weather", "response": {"celsius": 4.0}}}]}, "node_info": {"path": ""}, "timestamp": 1764000003.25, "invocation_id": "bob-i1"}');
INSERT INTO events VALUES ('bob-e4', 'weather', 'bob', 's-bob', 'bob-i1', '2025-11-24 16:00:04.25', '{"id": "bob-e4", "author": "root", "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}, "requested_tool_confirmations": {}}, "content": {"role": "model", "parts": [{"text": "4 °C."}]}, "node_info": {"path": ""}, "timestamp": 1764000004.25, "invocation_id": "bob-i1", "model_version": "gemini-2.5-flash", "usage_metadata": {"total_token_count": 155, "prompt_token_count": 150, "candidates_token_count": 5}}');
INSERT INTO sessions VALUES ('weather', 'ann', 's-ann', '{"turn": 1}', '2026-11-27 18:40:54.893936', '2025-11-24 16:00:04.25');
INSERT INTO sessions VALUES ('weather', 'bob', 's-bob', '{"turn": 1}', '2026-11-27 18:40:55.160351', '2025-11-24 16:00:04.25');
INSERT INTO sessions VALUES ('weather', 'cy', 's-empty', '{}', '2026-11-27 18:40:55.347019', '2026-11-27 18:40:55.347019');
INSERT INTO user_states VALUES ('weather', 'ann', '{"home": "Oslo", "last": "Oslo"}', '2026-11-27 18:40:55.065705');
INSERT INTO user_states VALUES ('weather', 'bob', '{"home": "Oslo", "last": "Oslo"}', '2026-11-27 18:40:55.239815');
INSERT INTO user_states VALUES ('weather', 'cy', '{}', '2026-11-27 18:40:55.317186');
ALTER TABLE ONLY adk_internal_metadata
    ADD CONSTRAINT adk_internal_metadata_pkey PRIMARY KEY (key);
ALTER TABLE ONLY app_states
    ADD CONSTRAINT app_states_pkey PRIMARY KEY (app_name);
ALTER TABLE ONLY events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id, app_name, user_id, session_id);
ALTER TABLE ONLY sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (app_name, user_id, id);
ALTER TABLE ONLY user_states
    ADD CONSTRAINT user_states_pkey PRIMARY KEY (app_name, user_id);
CREATE INDEX idx_events_app_user_session_ts_id ON events USING btree (app_name, user_id, session_id, "timestamp" DESC, id DESC);
ALTER TABLE ONLY events
    ADD CONSTRAINT events_app_name_user_id_session_id_fkey FOREIGN KEY (app_name, user_id, session_id) REFERENCES sessions(app_name, user_id, id) ON DELETE CASCADE;
