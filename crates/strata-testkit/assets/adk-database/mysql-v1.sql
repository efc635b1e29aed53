-- What google-adk 2.13's DatabaseSessionService makes on MySQL: two sessions in which something was said, and an empty one.
SET NAMES utf8mb4;
SET FOREIGN_KEY_CHECKS = 0;
CREATE TABLE `adk_internal_metadata` (
  `key` varchar(128) NOT NULL,
  `value` varchar(256) NOT NULL,
  PRIMARY KEY (`key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `adk_internal_metadata` VALUES ('schema_version','1');
CREATE TABLE `app_states` (
  `app_name` varchar(128) NOT NULL,
  `state` longtext NOT NULL,
  `update_time` datetime(6) NOT NULL,
  PRIMARY KEY (`app_name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `app_states` VALUES ('weather','{\"unit\": \"C\"}','2026-11-27 18:42:01.000000');
CREATE TABLE `events` (
  `id` varchar(128) NOT NULL,
  `app_name` varchar(128) NOT NULL,
  `user_id` varchar(128) NOT NULL,
  `session_id` varchar(128) NOT NULL,
  `invocation_id` varchar(256) NOT NULL,
  `timestamp` datetime(6) NOT NULL,
  `event_data` longtext DEFAULT NULL,
  PRIMARY KEY (`id`,`app_name`,`user_id`,`session_id`),
  KEY `idx_events_app_user_session_ts_id` (`app_name`,`user_id`,`session_id`,`timestamp` DESC,`id` DESC),
  CONSTRAINT `events_ibfk_1` FOREIGN KEY (`app_name`, `user_id`, `session_id`) REFERENCES `sessions` (`app_name`, `user_id`, `id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `events` VALUES ('ann-e1','weather','ann','s-ann','ann-i1','2025-11-24 16:00:01.250000','{\"content\": {\"parts\": [{\"text\": \"Weather in Oslo? \\u00e6\\u00f8\\u00e5 \\ud83c\\udf26\"}], \"role\": \"user\"}, \"invocation_id\": \"ann-i1\", \"author\": \"user\", \"actions\": {\"state_delta\": {}, \"artifact_delta\": {}, \"requested_auth_configs\": {}, \"requested_tool_confirmations\": {}}, \"node_info\": {\"path\": \"\"}, \"id\": \"ann-e1\", \"timestamp\": 1764000001.25}');
INSERT INTO `events` VALUES ('ann-e2','weather','ann','s-ann','ann-i1','2025-11-24 16:00:02.250000','{\"model_version\": \"gemini-2.5-flash\", \"content\": {\"parts\": [{\"function_call\": {\"id\": \"c1\", \"args\": {\"city\": \"Oslo\"}, \"name\": \"get_weather\"}}], \"role\": \"model\"}, \"usage_metadata\": {\"cached_content_token_count\": 64, \"candidates_token_count\": 12, \"prompt_token_count\": 120, \"total_token_count\": 132}, \"invocation_id\": \"ann-i1\", \"author\": \"root\", \"actions\": {\"state_delta\": {}, \"artifact_delta\": {}, \"requested_auth_configs\": {}, \"requested_tool_confirmations\": {}}, \"node_info\": {\"path\": \"\"}, \"id\": \"ann-e2\", \"timestamp\": 1764000002.25}');
INSERT INTO `events` VALUES ('ann-e3','weather','ann','s-ann','ann-i1','2025-11-24 16:00:03.250000','{\"content\": {\"parts\": [{\"function_response\": {\"id\": \"c1\", \"name\": \"get_weather\", \"response\": {\"celsius\": 4.0}}}], \"role\": \"user\"}, \"invocation_id\": \"ann-i1\", \"author\": \"root\", \"actions\": {\"state_delta\": {\"turn\": 1, \"user:last\": \"Oslo\"}, \"artifact_delta\": {}, \"requested_auth_configs\": {}, \"requested_tool_confirmations\": {}}, \"node_info\": {\"path\": \"\"}, \"id\": \"ann-e3\", \"timestamp\": 1764000003.25}');
INSERT INTO `events` VALUES ('ann-e4','weather','ann','s-ann','ann-i1','2025-11-24 16:00:04.250000','{\"model_version\": \"gemini-2.5-flash\", \"content\": {\"parts\": [{\"text\": \"4 \\u00b0C.\"}], \"role\": \"model\"}, \"usage_metadata\": {\"candidates_token_count\": 5, \"prompt_token_count\": 150, \"total_token_count\": 155}, \"invocation_id\": \"ann-i1\", \"author\": \"root\", \"actions\": {\"state_delta\": {}, \"artifact_delta\": {}, \"requested_auth_configs\": {}, \"requested_tool_confirmations\": {}}, \"node_info\": {\"path\": \"\"}, \"id\": \"ann-e4\", \"timestamp\": 1764000004.25}');
INSERT INTO `events` VALUES ('bob-e1','weather','bob','s-bob','bob-i1','2025-11-24 16:00:01.250000','{\"content\": {\"parts\": [{\"text\": \"Weather in Oslo? \\u00e6\\u00f8\\u00e5 \\ud83c\\udf26\"}], \"role\": \"user\"}, \"invocation_id\": \"bob-i1\", \"author\": \"user\", \"actions\": {\"state_delta\": {}, \"artifact_delta\": {}, \"requested_auth_configs\": {}, \"requested_tool_confirmations\": {}}, \"node_info\": {\"path\": \"\"}, \"id\": \"bob-e1\", \"timestamp\": 1764000001.25}');
INSERT INTO `events` VALUES ('bob-e2','weather','bob','s-bob','bob-i1','2025-11-24 16:00:02.250000','{\"model_version\": \"gemini-2.5-flash\", \"content\": {\"parts\": [{\"function_call\": {\"id\": \"c1\", \"args\": {\"city\": \"Oslo\"}, \"name\": \"get_weather\"}}], \"role\": \"model\"}, \"usage_metadata\": {\"cached_content_token_count\": 64, \"candidates_token_count\": 12, \"prompt_token_count\": 120, \"total_token_count\": 132}, \"invocation_id\": \"bob-i1\", \"author\": \"root\", \"actions\": {\"state_delta\": {}, \"artifact_delta\": {}, \"requested_auth_configs\": {}, \"requested_tool_confirmations\": {}}, \"node_info\": {\"path\": \"\"}, \"id\": \"bob-e2\", \"timestamp\": 1764000002.25}');
INSERT INTO `events` VALUES ('bob-e3','weather','bob','s-bob','bob-i1','2025-11-24 16:00:03.250000','{\"content\": {\"parts\": [{\"function_response\": {\"id\": \"c1\", \"name\": \"get_weather\", \"response\": {\"celsius\": 4.0}}}], \"role\": \"user\"}, \"invocation_id\": \"bob-i1\", \"author\": \"root\", \"actions\": {\"state_delta\": {\"turn\": 1, \"user:last\": \"Oslo\"}, \"artifact_delta\": {}, \"requested_auth_configs\": {}, \"requested_tool_confirmations\": {}}, \"node_info\": {\"path\": \"\"}, \"id\": \"bob-e3\", \"timestamp\": 1764000003.25}');
INSERT INTO `events` VALUES ('bob-e4','weather','bob','s-bob','bob-i1','2025-11-24 16:00:04.250000','{\"model_version\": \"gemini-2.5-flash\", \"content\": {\"parts\": [{\"text\": \"4 \\u00b0C.\"}], \"role\": \"model\"}, \"usage_metadata\": {\"candidates_token_count\": 5, \"prompt_token_count\": 150, \"total_token_count\": 155}, \"invocation_id\": \"bob-i1\", \"author\": \"root\", \"actions\": {\"state_delta\": {}, \"artifact_delta\": {}, \"requested_auth_configs\": {}, \"requested_tool_confirmations\": {}}, \"node_info\": {\"path\": \"\"}, \"id\": \"bob-e4\", \"timestamp\": 1764000004.25}');
CREATE TABLE `sessions` (
  `app_name` varchar(128) NOT NULL,
  `user_id` varchar(128) NOT NULL,
  `id` varchar(128) NOT NULL,
  `state` longtext NOT NULL,
  `create_time` datetime(6) NOT NULL,
  `update_time` datetime(6) NOT NULL,
  PRIMARY KEY (`app_name`,`user_id`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `sessions` VALUES ('weather','ann','s-ann','{\"turn\": 1}','2026-11-27 18:42:01.187409','2025-11-24 16:00:04.250000');
INSERT INTO `sessions` VALUES ('weather','bob','s-bob','{\"turn\": 1}','2026-11-27 18:42:01.567225','2025-11-24 16:00:04.250000');
INSERT INTO `sessions` VALUES ('weather','cy','s-empty','{}','2026-11-27 18:42:02.049987','2026-11-27 18:42:02.049987');
CREATE TABLE `user_states` (
  `app_name` varchar(128) NOT NULL,
  `user_id` varchar(128) NOT NULL,
  `state` longtext NOT NULL,
  `update_time` datetime(6) NOT NULL,
  PRIMARY KEY (`app_name`,`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `user_states` VALUES ('weather','ann','{\"home\": \"Oslo\", \"last\": \"Oslo\"}','2026-11-27 18:42:01.000000');
INSERT INTO `user_states` VALUES ('weather','bob','{\"home\": \"Oslo\", \"last\": \"Oslo\"}','2026-11-27 18:42:01.000000');
INSERT INTO `user_states` VALUES ('weather','cy','{}','2026-11-27 18:42:02.000000');
