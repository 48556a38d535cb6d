extension plpgsql
role certdata_operator superuser f inherit t createrole f createdb f login f replication f bypassrls f connections -1
role certdata_reader superuser f inherit t createrole f createdb f login f replication f bypassrls f connections -1
schema public

domain calendar_date as date
  constraint calendar_date_check CHECK (((VALUE >= '0001-01-01'::date) AND (VALUE <= '9999-12-31'::date)))

table access_requests
  request_id text collate "C" not null
  company text not null
  name text not null
  email text not null
  message text not null
  created_at timestamp with time zone not null default now()
  due_at timestamp with time zone not null
  rejected_at timestamp with time zone
  reason text
  constraint access_requests_request_id_check CHECK ((request_id ~ '^[a-z0-9]{16}$'::text))
  constraint access_requests_pkey PRIMARY KEY (request_id)

table api_keys row level security forced
  customer_id text collate "C" not null
  key_id text collate "C" not null
  secret_sha256 bytea not null
  scopes text[] collate "C"
  expires_at timestamp with time zone
  revoked_at timestamp with time zone
  last_used_on date
  created_at timestamp with time zone not null default now()
  replaced_by text collate "C"
  networks cidr[]
  client_jwks jsonb
  name text
  replaces text collate "C"
  overlap interval
  lifetime interval
  rotated_at timestamp with time zone
  constraint api_keys_key_id_check CHECK ((key_id ~ '^[a-z0-9]{1,32}$'::text))
  constraint api_keys_lifetime CHECK (((replaces IS NOT NULL) OR (lifetime IS NULL)))
  constraint api_keys_name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
  constraint api_keys_networks CHECK (((cardinality(networks) >= 1) AND (cardinality(networks) <= 100)))
  constraint api_keys_overlap CHECK (((replaces IS NULL) = (overlap IS NULL)))
  constraint api_keys_secret_sha256_check CHECK ((octet_length(secret_sha256) = 32))
  constraint api_keys_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint api_keys_replaces FOREIGN KEY (customer_id, replaces) REFERENCES api_keys(customer_id, key_id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
  constraint api_keys_pkey PRIMARY KEY (customer_id, key_id)
  constraint api_keys_key_id_key UNIQUE (key_id)
  CREATE UNIQUE INDEX api_keys_one_successor ON public.api_keys USING btree (customer_id, replaces) WHERE (revoked_at IS NULL)
  CREATE TRIGGER api_keys_follow AFTER UPDATE OF networks, scopes, revoked_at, replaced_by ON public.api_keys FOR EACH ROW EXECUTE FUNCTION follow_predecessor() enabled always
  CREATE TRIGGER api_keys_log_change AFTER INSERT OR DELETE OR UPDATE ON public.api_keys FOR EACH ROW EXECUTE FUNCTION log_rights() enabled always
  CREATE TRIGGER api_keys_log_truncate AFTER TRUNCATE ON public.api_keys FOR EACH STATEMENT EXECUTE FUNCTION log_truncate('auth') enabled always
  policy operator permissive for * to certdata_operator using true with check true

type approval_term
  kind text
  years integer

table approvals row level security forced
  customer_id text collate "C" not null
  id text collate "C" not null
  product_id text collate "C" not null
  country_code text collate "C" not null
  scheme text collate "C" not null
  project_id text collate "C"
  certificate_id text collate "C"
  status text collate "C" not null default 'planned'::text
  phase text collate "C"
  requested_on calendar_date
  requested_on_sort date not null
  submitted_on calendar_date
  decided_on calendar_date
  expected_on calendar_date
  expected_on_sort date not null
  tags text[] collate "C" not null default '{}'::text[]
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  created_xid xid8
  constraint approvals_id_check CHECK (((id ~ '^[A-Za-z0-9._~-]{1,64}$'::text) AND (id !~ '^[.]+$'::text)))
  constraint approvals_phase_check CHECK ((phase = ANY (ARRAY['initial'::text, 'renewal'::text, 'modification'::text])))
  constraint approvals_status_check CHECK ((status = ANY (ARRAY['planned'::text, 'preparing'::text, 'testing'::text, 'submitted'::text, 'in_review'::text, 'information_requested'::text, 'on_hold'::text, 'granted'::text, 'rejected'::text, 'cancelled'::text, 'not_required'::text])))
  constraint approvals_tags_list CHECK (is_list(tags))
  constraint approvals_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint approvals_pkey PRIMARY KEY (customer_id, id)
  CREATE INDEX approvals_certificate_id ON public.approvals USING btree (customer_id, certificate_id) WHERE (certificate_id IS NOT NULL)
  CREATE INDEX approvals_country_code ON public.approvals USING btree (customer_id, country_code)
  CREATE INDEX approvals_created_at ON public.approvals USING btree (customer_id, created_at, id)
  CREATE INDEX approvals_decided_on ON public.approvals USING btree (customer_id, decided_on) WHERE (decided_on IS NOT NULL)
  CREATE INDEX approvals_expected_on ON public.approvals USING btree (customer_id, expected_on_sort, id)
  CREATE INDEX approvals_product_id ON public.approvals USING btree (customer_id, product_id)
  CREATE INDEX approvals_project_id ON public.approvals USING btree (customer_id, project_id) WHERE (project_id IS NOT NULL)
  CREATE INDEX approvals_requested_on ON public.approvals USING btree (customer_id, requested_on_sort, id)
  CREATE INDEX approvals_status ON public.approvals USING btree (customer_id, status)
  CREATE INDEX approvals_submitted_on ON public.approvals USING btree (customer_id, submitted_on) WHERE (submitted_on IS NOT NULL)
  CREATE INDEX approvals_updated_at ON public.approvals USING btree (customer_id, updated_at, id)
  CREATE TRIGGER approvals_before BEFORE INSERT OR UPDATE ON public.approvals FOR EACH ROW EXECUTE FUNCTION approvals_before() enabled always
  CREATE TRIGGER approvals_elements_delete AFTER DELETE ON public.approvals REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION approvals_elements_delete() enabled always
  CREATE TRIGGER approvals_elements_insert AFTER INSERT ON public.approvals REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION approvals_elements_insert() enabled always
  CREATE TRIGGER approvals_elements_update AFTER UPDATE ON public.approvals FOR EACH ROW EXECUTE FUNCTION approvals_elements_update() enabled always
  CREATE TRIGGER approvals_log_delete AFTER DELETE ON public.approvals REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION records_log_delete('product_id', 'country_code', 'scheme', 'project_id', 'certificate_id', 'status', 'phase', 'requested_on', 'submitted_on', 'decided_on', 'expected_on', 'tags', 'created_at') enabled always
  CREATE TRIGGER approvals_log_insert AFTER INSERT ON public.approvals REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION records_log_insert() enabled always
  CREATE TRIGGER approvals_log_moved AFTER UPDATE OF customer_id, id ON public.approvals FOR EACH ROW WHEN (((old.customer_id IS DISTINCT FROM new.customer_id) OR (old.id IS DISTINCT FROM new.id))) EXECUTE FUNCTION records_log_moved('product_id', 'country_code', 'scheme', 'project_id', 'certificate_id', 'status', 'phase', 'requested_on', 'submitted_on', 'decided_on', 'expected_on', 'tags', 'created_at') enabled always
  CREATE TRIGGER approvals_log_truncate AFTER TRUNCATE ON public.approvals FOR EACH STATEMENT EXECUTE FUNCTION log_records_truncate() enabled always
  CREATE TRIGGER approvals_log_update AFTER UPDATE ON public.approvals FOR EACH ROW EXECUTE FUNCTION approvals_log_update() enabled always
  CREATE TRIGGER approvals_words_delete AFTER DELETE ON public.approvals REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION records_words_delete() enabled always
  CREATE TRIGGER approvals_words_insert AFTER INSERT ON public.approvals REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION approvals_words_insert() enabled always
  CREATE TRIGGER approvals_words_update AFTER UPDATE ON public.approvals FOR EACH ROW EXECUTE FUNCTION approvals_words_update() enabled always
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = NULLIF(current_setting('app.customer_id'::text, true), ''::text))

table approved_requests row level security forced
  customer_id text collate "C" not null
  request_id text collate "C" not null
  company text not null
  name text not null
  email text not null
  message text not null
  created_at timestamp with time zone not null
  due_at timestamp with time zone not null
  approved_at timestamp with time zone not null default now()
  constraint approved_requests_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint approved_requests_pkey PRIMARY KEY (customer_id, request_id)
  policy operator permissive for * to certdata_operator using true with check true

table audit_anchor
  only_one boolean not null default true
  seal_no bigint not null
  seal_mac bytea not null
  mac bytea not null
  anchored_at timestamp with time zone not null default clock_timestamp()
  constraint audit_anchor_only_one_check CHECK (only_one)
  constraint audit_anchor_pkey PRIMARY KEY (only_one)

table audit_copies row level security forced
  customer_id text collate "C" not null
  number bigint not null
  entry_id bigint not null
  at timestamp with time zone not null
  action text collate "C" not null
  outcome text collate "C" not null
  key_id text collate "C"
  entry json not null
  constraint audit_copies_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint audit_copies_pkey PRIMARY KEY (customer_id, number)
  constraint audit_copies_entry_id_key UNIQUE (entry_id)
  CREATE INDEX audit_copies_action ON public.audit_copies USING btree (customer_id, action, outcome, number)
  CREATE INDEX audit_copies_at ON public.audit_copies USING btree (customer_id, at)
  CREATE INDEX audit_copies_key ON public.audit_copies USING btree (customer_id, key_id, action, outcome, number) WHERE (key_id IS NOT NULL)
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = NULLIF(current_setting('app.customer_id'::text, true), ''::text))

table audit_entries
  entry_id bigint not null
  at timestamp with time zone not null default clock_timestamp()
  actor text collate "C" not null
  customer_ref uuid
  action text collate "C" not null
  outcome text collate "C" not null
  request_id text collate "C"
  constraint audit_entries_action_check CHECK ((action ~ '^[a-z][a-z.-]{0,63}$'::text))
  constraint audit_entries_actor_check CHECK ((actor = ANY (ARRAY['key'::text, 'demo'::text, 'anonymous'::text, 'operator'::text, 'system'::text])))
  constraint audit_entries_outcome_check CHECK ((outcome = ANY (ARRAY['ok'::text, 'refused'::text])))
  constraint audit_entries_request_id_check CHECK ((octet_length(request_id) <= 64))
  constraint audit_entries_pkey PRIMARY KEY (entry_id)
  CREATE INDEX audit_entries_at ON public.audit_entries USING btree (at)

sequence audit_entry_ids as bigint from 1 by 1 between 1 and 9223372036854775807 cache 1 cycle f

table audit_numbers row level security forced
  customer_id text collate "C" not null
  last bigint not null
  constraint audit_numbers_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint audit_numbers_pkey PRIMARY KEY (customer_id)
  policy operator permissive for * to certdata_operator using true with check true

table audit_pending
  entry_id bigint not null
  constraint audit_pending_pkey PRIMARY KEY (entry_id)

table audit_persons
  entry_id bigint not null
  salt bytea not null
  personal json not null
  customer text collate "C" generated (personal ->> 'customer'::text)
  constraint audit_persons_pkey PRIMARY KEY (entry_id)
  CREATE INDEX audit_persons_customer ON public.audit_persons USING btree (customer, entry_id) WHERE (customer IS NOT NULL)

table audit_reads
  minute timestamp with time zone not null
  entry jsonb not null
  count bigint not null
  rows bigint not null
  constraint audit_reads_pkey PRIMARY KEY (minute, entry)

table audit_seals
  seal_no bigint not null
  entry_id bigint not null
  commitment bytea
  mac bytea not null
  number bigint
  constraint audit_seals_seal_no_check CHECK ((seal_no > 0))
  constraint audit_seals_pkey PRIMARY KEY (seal_no)
  constraint audit_seals_entry_id_key UNIQUE (entry_id)

type authority
  name text
  abbreviation text
  domain text
  role text

table certificates row level security forced
  customer_id text collate "C" not null
  id text collate "C" not null
  number text collate "C" not null
  title text collate "C" not null
  product_id text collate "C"
  project_id text collate "C"
  approval_id text collate "C"
  supersedes_id text collate "C"
  country_code text collate "C"
  authority text collate "C"
  scheme text collate "C"
  certificate_type text collate "C"
  approval_status text collate "C" not null
  valid_from calendar_date
  valid_until calendar_date
  valid_from_sort date not null
  valid_until_sort date not null
  validity_periods validity_period[] not null default '{}'::validity_period[]
  issued_on calendar_date
  issued_on_sort date not null
  holder text collate "C"
  standards text[] collate "C" not null default '{}'::text[]
  tags text[] collate "C" not null default '{}'::text[]
  source_url text collate "C"
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  created_xid xid8
  constraint certificates_approval_status_check CHECK ((approval_status = ANY (ARRAY['pending'::text, 'approved'::text, 'conditional'::text, 'rejected'::text, 'suspended'::text, 'revoked'::text, 'withdrawn'::text, 'superseded'::text])))
  constraint certificates_certificate_type_check CHECK ((certificate_type = ANY (ARRAY['type_approval'::text, 'declaration_of_conformity'::text, 'certificate_of_conformity'::text, 'registration'::text, 'safety_certificate'::text, 'module_approval'::text, 'other'::text])))
  constraint certificates_id_check CHECK (((id ~ '^[A-Za-z0-9._~-]{1,64}$'::text) AND (id !~ '^[.]+$'::text)))
  constraint certificates_number_check CHECK ((octet_length(number) <= 2000))
  constraint certificates_standards_list CHECK (is_list(standards))
  constraint certificates_tags_list CHECK (is_list(tags))
  constraint certificates_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint certificates_pkey PRIMARY KEY (customer_id, id)
  CREATE INDEX certificates_approval_id ON public.certificates USING btree (customer_id, approval_id) WHERE (approval_id IS NOT NULL)
  CREATE INDEX certificates_country_code ON public.certificates USING btree (customer_id, country_code) WHERE (country_code IS NOT NULL)
  CREATE INDEX certificates_created_at ON public.certificates USING btree (customer_id, created_at, id)
  CREATE INDEX certificates_issued_on ON public.certificates USING btree (customer_id, issued_on_sort, id)
  CREATE INDEX certificates_not_standing ON public.certificates USING btree (customer_id, approval_status) WHERE (approval_status = ANY (ARRAY['pending'::text, 'rejected'::text, 'suspended'::text, 'revoked'::text, 'withdrawn'::text, 'superseded'::text]))
  CREATE INDEX certificates_number ON public.certificates USING btree (customer_id, number, id)
  CREATE INDEX certificates_product_id ON public.certificates USING btree (customer_id, product_id) WHERE (product_id IS NOT NULL)
  CREATE INDEX certificates_project_id ON public.certificates USING btree (customer_id, project_id) WHERE (project_id IS NOT NULL)
  CREATE INDEX certificates_updated_at ON public.certificates USING btree (customer_id, updated_at, id)
  CREATE INDEX certificates_valid_from ON public.certificates USING btree (customer_id, valid_from_sort, id)
  CREATE INDEX certificates_valid_until ON public.certificates USING btree (customer_id, valid_until_sort, id) INCLUDE (approval_status, valid_from_sort)
  CREATE TRIGGER certificates_before BEFORE INSERT OR UPDATE ON public.certificates FOR EACH ROW EXECUTE FUNCTION certificates_before() enabled always
  CREATE TRIGGER certificates_elements_delete AFTER DELETE ON public.certificates REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION certificates_elements_delete() enabled always
  CREATE TRIGGER certificates_elements_insert AFTER INSERT ON public.certificates REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION certificates_elements_insert() enabled always
  CREATE TRIGGER certificates_elements_update AFTER UPDATE ON public.certificates FOR EACH ROW EXECUTE FUNCTION certificates_elements_update() enabled always
  CREATE TRIGGER certificates_log_delete AFTER DELETE ON public.certificates REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION records_log_delete('number', 'title', 'product_id', 'project_id', 'approval_id', 'supersedes_id', 'country_code', 'authority', 'scheme', 'certificate_type', 'approval_status', 'valid_from', 'valid_until', 'validity_periods', 'issued_on', 'holder', 'standards', 'tags', 'source_url', 'created_at') enabled always
  CREATE TRIGGER certificates_log_insert AFTER INSERT ON public.certificates REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION records_log_insert() enabled always
  CREATE TRIGGER certificates_log_moved AFTER UPDATE OF customer_id, id ON public.certificates FOR EACH ROW WHEN (((old.customer_id IS DISTINCT FROM new.customer_id) OR (old.id IS DISTINCT FROM new.id))) EXECUTE FUNCTION records_log_moved('number', 'title', 'product_id', 'project_id', 'approval_id', 'supersedes_id', 'country_code', 'authority', 'scheme', 'certificate_type', 'approval_status', 'valid_from', 'valid_until', 'validity_periods', 'issued_on', 'holder', 'standards', 'tags', 'source_url', 'created_at') enabled always
  CREATE TRIGGER certificates_log_truncate AFTER TRUNCATE ON public.certificates FOR EACH STATEMENT EXECUTE FUNCTION log_records_truncate() enabled always
  CREATE TRIGGER certificates_log_update AFTER UPDATE ON public.certificates FOR EACH ROW EXECUTE FUNCTION certificates_log_update() enabled always
  CREATE TRIGGER certificates_words_delete AFTER DELETE ON public.certificates REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION records_words_delete() enabled always
  CREATE TRIGGER certificates_words_insert AFTER INSERT ON public.certificates REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION certificates_words_insert() enabled always
  CREATE TRIGGER certificates_words_update AFTER UPDATE ON public.certificates FOR EACH ROW EXECUTE FUNCTION certificates_words_update() enabled always
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = NULLIF(current_setting('app.customer_id'::text, true), ''::text))

table change_log row level security forced
  customer_id text collate "C" not null
  xid xid8 not null default pg_current_xact_id()
  position bigint not null generated always as identity
  resource text collate "C" not null
  record_id text collate "C" not null
  changed_at timestamp with time zone not null default now()
  constraint change_log_pkey PRIMARY KEY (customer_id, xid, "position")
  CREATE INDEX change_log_xid ON public.change_log USING btree (xid, customer_id, resource)
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = ANY (ARRAY[NULLIF(current_setting('app.customer_id'::text, true), ''::text), '*'::text]))

sequence change_log_position_seq as bigint from 1 by 1 between 1 and 9223372036854775807 cache 1 cycle f

table change_marks
  xid xid8 not null default pg_current_xact_id()
  mark uuid not null default gen_random_uuid()
  server_started_at timestamp with time zone not null default pg_postmaster_start_time()
  marked_at timestamp with time zone not null default now()
  constraint change_marks_pkey PRIMARY KEY (xid)

table change_samples
  sampled_at timestamp with time zone not null
  snapshot pg_snapshot not null
  constraint change_samples_pkey PRIMARY KEY (sampled_at)

table change_state
  only_row boolean not null default true
  identity text not null
  pruned_below xid8 not null
  history_floor bigint not null default 0
  constraint change_state_only_row_check CHECK (only_row)
  constraint change_state_pkey PRIMARY KEY (only_row)

table countries
  id text collate "C" not null
  code text collate "C" not null
  alpha3 text collate "C" not null
  name text collate "C" not null
  region text collate "C" not null
  blocs text[] collate "C" not null default '{}'::text[]
  authorities authority[] not null default '{}'::authority[]
  requirements country_requirements not null
  sources text[] collate "C" not null default '{}'::text[]
  confidence text collate "C" not null default 'low'::text
  reviewed_on calendar_date
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  created_xid xid8
  constraint countries_alpha3_check CHECK ((alpha3 ~ '^[A-Z]{3}$'::text))
  constraint countries_blocs_list CHECK (is_list(blocs))
  constraint countries_check CHECK ((code = id))
  constraint countries_confidence_check CHECK ((confidence = ANY (ARRAY['high'::text, 'medium'::text, 'low'::text])))
  constraint countries_id_check CHECK ((id ~ '^[A-Z]{2}$'::text))
  constraint countries_region_check CHECK ((region = ANY (ARRAY['europe'::text, 'americas'::text, 'asia_pacific'::text, 'middle_east_africa'::text, 'cis'::text])))
  constraint countries_sources_list CHECK (is_list(sources))
  constraint countries_pkey PRIMARY KEY (id)
  CREATE TRIGGER countries_before BEFORE INSERT OR UPDATE ON public.countries FOR EACH ROW EXECUTE FUNCTION countries_before() enabled always
  CREATE TRIGGER countries_log_delete AFTER DELETE ON public.countries REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION countries_log_delete('code', 'alpha3', 'name', 'region', 'blocs', 'authorities', 'requirements', 'sources', 'confidence', 'reviewed_on', 'created_at') enabled always
  CREATE TRIGGER countries_log_insert AFTER INSERT ON public.countries REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION countries_log_insert() enabled always
  CREATE TRIGGER countries_log_moved AFTER UPDATE OF id ON public.countries FOR EACH ROW WHEN ((old.id IS DISTINCT FROM new.id)) EXECUTE FUNCTION countries_log_moved('code', 'alpha3', 'name', 'region', 'blocs', 'authorities', 'requirements', 'sources', 'confidence', 'reviewed_on', 'created_at') enabled always
  CREATE TRIGGER countries_log_truncate AFTER TRUNCATE ON public.countries FOR EACH STATEMENT EXECUTE FUNCTION log_records_truncate() enabled always
  CREATE TRIGGER countries_log_update AFTER UPDATE ON public.countries FOR EACH ROW EXECUTE FUNCTION countries_log_update() enabled always
  CREATE TRIGGER countries_words_delete AFTER DELETE ON public.countries REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION countries_words_delete() enabled always
  CREATE TRIGGER countries_words_insert AFTER INSERT ON public.countries REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION countries_words_insert() enabled always
  CREATE TRIGGER countries_words_update AFTER UPDATE ON public.countries FOR EACH ROW EXECUTE FUNCTION countries_words_update() enabled always

type country_requirements
  schemes text[]
  in_country_testing text
  local_representative text
  validity approval_term
  lead_time_weeks weeks
  note text

table custom_documents
  name text collate "C" not null
  revision integer not null
  document text not null
  applied_at timestamp with time zone not null default now()
  superseded_at timestamp with time zone
  constraint custom_documents_revision_check CHECK ((revision > 0))
  constraint custom_documents_name_fkey FOREIGN KEY (name) REFERENCES custom_endpoints(name) ON DELETE CASCADE
  constraint custom_documents_pkey PRIMARY KEY (name, revision)
  CREATE UNIQUE INDEX custom_documents_current ON public.custom_documents USING btree (name) WHERE (superseded_at IS NULL)
  CREATE TRIGGER custom_documents_log_change AFTER INSERT OR DELETE OR UPDATE ON public.custom_documents FOR EACH ROW EXECUTE FUNCTION log_custom() enabled always
  CREATE TRIGGER custom_documents_log_truncate AFTER TRUNCATE ON public.custom_documents FOR EACH STATEMENT EXECUTE FUNCTION log_truncate('custom') enabled always

table custom_endpoints
  name text collate "C" not null
  to_everyone boolean not null default false
  constraint custom_endpoints_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9-]{0,63}$'::text))
  constraint custom_endpoints_pkey PRIMARY KEY (name)
  CREATE TRIGGER custom_endpoints_log_change AFTER INSERT OR DELETE OR UPDATE ON public.custom_endpoints FOR EACH ROW EXECUTE FUNCTION log_custom() enabled always
  CREATE TRIGGER custom_endpoints_log_truncate AFTER TRUNCATE ON public.custom_endpoints FOR EACH STATEMENT EXECUTE FUNCTION log_truncate('custom') enabled always

table custom_grants row level security forced
  customer_id text collate "C" not null
  name text collate "C" not null
  granted boolean not null
  changed_at timestamp with time zone not null default now()
  constraint custom_grants_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint custom_grants_name_fkey FOREIGN KEY (name) REFERENCES custom_endpoints(name) ON DELETE CASCADE
  constraint custom_grants_pkey PRIMARY KEY (customer_id, name)
  CREATE INDEX custom_grants_name ON public.custom_grants USING btree (name)
  CREATE TRIGGER custom_grants_log_change AFTER INSERT OR DELETE OR UPDATE ON public.custom_grants FOR EACH ROW EXECUTE FUNCTION log_custom() enabled always
  CREATE TRIGGER custom_grants_log_truncate AFTER TRUNCATE ON public.custom_grants FOR EACH STATEMENT EXECUTE FUNCTION log_truncate('custom') enabled always
  policy operator permissive for * to certdata_operator using true with check true

table customers row level security forced
  customer_id text collate "C" not null
  name text not null
  plan text collate "C" not null default 'basic'::text
  suspended_at timestamp with time zone
  expiring_within integer not null default 90
  created_at timestamp with time zone not null default now()
  audit_ref uuid not null default gen_random_uuid()
  constraint customers_customer_id_check CHECK ((customer_id ~ '^[a-z0-9][a-z0-9-]{0,63}$'::text))
  constraint customers_expiring_within_check CHECK (((expiring_within >= 1) AND (expiring_within <= 365)))
  constraint customers_plan_check CHECK ((plan = ANY (ARRAY['basic'::text, 'premium'::text, 'enterprise'::text])))
  constraint customers_pkey PRIMARY KEY (customer_id)
  CREATE TRIGGER customers_history_delete AFTER DELETE ON public.customers FOR EACH ROW EXECUTE FUNCTION customers_history_delete() enabled always
  CREATE TRIGGER customers_log_change AFTER INSERT OR DELETE OR UPDATE ON public.customers FOR EACH ROW EXECUTE FUNCTION log_rights() enabled always
  CREATE TRIGGER customers_log_settings AFTER UPDATE OF expiring_within ON public.customers FOR EACH ROW WHEN ((old.expiring_within IS DISTINCT FROM new.expiring_within)) EXECUTE FUNCTION customers_log_settings() enabled always
  CREATE TRIGGER customers_log_truncate AFTER TRUNCATE ON public.customers FOR EACH STATEMENT EXECUTE FUNCTION log_truncate('auth') enabled always
  policy operator permissive for * to certdata_operator using true with check true

table demo_changes
  id text collate "C" not null
  original text collate "C"
  until timestamp with time zone
  constraint demo_changes_check CHECK (((original IS NULL) = (until IS NULL)))
  constraint demo_changes_pkey PRIMARY KEY (id)

table distrusted_resources
  resource text collate "C" not null
  since timestamp with time zone not null default now()
  is_incomplete boolean not null default false
  history_from timestamp with time zone
  constraint distrusted_resources_pkey PRIMARY KEY (resource)

table elements row level security forced
  customer_id text collate "C" not null
  resource text collate "C" not null
  field text collate "C" not null
  value text collate "C" not null
  id text collate "C" not null
  constraint elements_value_check CHECK ((octet_length(value) <= 2000))
  constraint elements_pkey PRIMARY KEY (customer_id, resource, field, value, id)
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = NULLIF(current_setting('app.customer_id'::text, true), ''::text))

table history_begun row level security forced
  customer_id text collate "C" not null default '*'::text
  resource text collate "C" not null
  since timestamp with time zone not null
  constraint history_begun_pkey PRIMARY KEY (customer_id, resource)
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = ANY (ARRAY[NULLIF(current_setting('app.customer_id'::text, true), ''::text), '*'::text]))

table key_links row level security forced
  customer_id text collate "C" not null
  key_id text collate "C" not null
  secret_sha256 bytea not null
  scopes text[] collate "C"
  networks cidr[]
  lifetime interval
  created_at timestamp with time zone not null default now()
  expires_at timestamp with time zone not null default (now() + '7 days'::interval)
  name text
  replaces text collate "C"
  overlap interval
  constraint key_links_key_id_check CHECK ((key_id ~ '^[a-z0-9]{1,32}$'::text))
  constraint key_links_name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
  constraint key_links_overlap CHECK (((replaces IS NULL) = (overlap IS NULL)))
  constraint key_links_secret_sha256_check CHECK ((octet_length(secret_sha256) = 32))
  constraint key_links_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint key_links_replaces FOREIGN KEY (customer_id, replaces) REFERENCES api_keys(customer_id, key_id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
  constraint key_links_pkey PRIMARY KEY (customer_id, key_id)
  constraint key_links_key_id_key UNIQUE (key_id)
  constraint key_links_secret_sha256_key UNIQUE (secret_sha256)
  CREATE UNIQUE INDEX key_links_one_successor ON public.key_links USING btree (customer_id, replaces)
  policy operator permissive for * to certdata_operator using true with check true

table kysely_migration
  name character varying(255) not null
  timestamp character varying(255) not null
  constraint kysely_migration_pkey PRIMARY KEY (name)

table kysely_migration_lock
  id character varying(255) not null
  is_locked integer not null default 0
  constraint kysely_migration_lock_pkey PRIMARY KEY (id)

table lab row level security forced
  customer_id text collate "C" not null
  id text collate "C" not null
  report_number text collate "C" not null
  title text collate "C" not null
  test_type text collate "C"
  standards text[] collate "C" not null default '{}'::text[]
  status text collate "C" not null
  result text collate "C"
  laboratory text collate "C"
  laboratory_country_code text collate "C"
  product_id text collate "C"
  project_id text collate "C"
  certificate_id text collate "C"
  supersedes_id text collate "C"
  tested_from calendar_date
  tested_until calendar_date
  issued_on calendar_date
  issued_on_sort date not null
  revision integer not null default 1
  document_url text collate "C"
  tags text[] collate "C" not null default '{}'::text[]
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  created_xid xid8
  constraint lab_id_check CHECK (((id ~ '^[A-Za-z0-9._~-]{1,64}$'::text) AND (id !~ '^[.]+$'::text)))
  constraint lab_report_number_check CHECK ((octet_length(report_number) <= 2000))
  constraint lab_result_check CHECK ((result = ANY (ARRAY['pass'::text, 'fail'::text, 'pass_with_deviation'::text, 'inconclusive'::text])))
  constraint lab_standards_list CHECK (is_list(standards))
  constraint lab_status_check CHECK ((status = ANY (ARRAY['planned'::text, 'in_testing'::text, 'draft'::text, 'issued'::text, 'superseded'::text, 'withdrawn'::text, 'cancelled'::text])))
  constraint lab_tags_list CHECK (is_list(tags))
  constraint lab_test_type_check CHECK ((test_type = ANY (ARRAY['radio'::text, 'emc'::text, 'safety'::text, 'sar'::text, 'environmental'::text, 'protocol'::text, 'cybersecurity'::text, 'energy'::text])))
  constraint lab_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint lab_pkey PRIMARY KEY (customer_id, id)
  CREATE INDEX lab_certificate_id ON public.lab USING btree (customer_id, certificate_id) WHERE (certificate_id IS NOT NULL)
  CREATE INDEX lab_created_at ON public.lab USING btree (customer_id, created_at, id)
  CREATE INDEX lab_issued_on ON public.lab USING btree (customer_id, issued_on_sort, id)
  CREATE INDEX lab_product_id ON public.lab USING btree (customer_id, product_id) WHERE (product_id IS NOT NULL)
  CREATE INDEX lab_project_id ON public.lab USING btree (customer_id, project_id) WHERE (project_id IS NOT NULL)
  CREATE INDEX lab_report_number ON public.lab USING btree (customer_id, report_number, id)
  CREATE INDEX lab_updated_at ON public.lab USING btree (customer_id, updated_at, id)
  CREATE TRIGGER lab_before BEFORE INSERT OR UPDATE ON public.lab FOR EACH ROW EXECUTE FUNCTION lab_before() enabled always
  CREATE TRIGGER lab_elements_delete AFTER DELETE ON public.lab REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION lab_elements_delete() enabled always
  CREATE TRIGGER lab_elements_insert AFTER INSERT ON public.lab REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION lab_elements_insert() enabled always
  CREATE TRIGGER lab_elements_update AFTER UPDATE ON public.lab FOR EACH ROW EXECUTE FUNCTION lab_elements_update() enabled always
  CREATE TRIGGER lab_log_delete AFTER DELETE ON public.lab REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION records_log_delete('report_number', 'title', 'test_type', 'standards', 'status', 'result', 'laboratory', 'laboratory_country_code', 'product_id', 'project_id', 'certificate_id', 'supersedes_id', 'tested_from', 'tested_until', 'issued_on', 'revision', 'document_url', 'tags', 'created_at') enabled always
  CREATE TRIGGER lab_log_insert AFTER INSERT ON public.lab REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION records_log_insert() enabled always
  CREATE TRIGGER lab_log_moved AFTER UPDATE OF customer_id, id ON public.lab FOR EACH ROW WHEN (((old.customer_id IS DISTINCT FROM new.customer_id) OR (old.id IS DISTINCT FROM new.id))) EXECUTE FUNCTION records_log_moved('report_number', 'title', 'test_type', 'standards', 'status', 'result', 'laboratory', 'laboratory_country_code', 'product_id', 'project_id', 'certificate_id', 'supersedes_id', 'tested_from', 'tested_until', 'issued_on', 'revision', 'document_url', 'tags', 'created_at') enabled always
  CREATE TRIGGER lab_log_truncate AFTER TRUNCATE ON public.lab FOR EACH STATEMENT EXECUTE FUNCTION log_records_truncate() enabled always
  CREATE TRIGGER lab_log_update AFTER UPDATE ON public.lab FOR EACH ROW EXECUTE FUNCTION lab_log_update() enabled always
  CREATE TRIGGER lab_words_delete AFTER DELETE ON public.lab REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION records_words_delete() enabled always
  CREATE TRIGGER lab_words_insert AFTER INSERT ON public.lab REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION lab_words_insert() enabled always
  CREATE TRIGGER lab_words_update AFTER UPDATE ON public.lab FOR EACH ROW EXECUTE FUNCTION lab_words_update() enabled always
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = NULLIF(current_setting('app.customer_id'::text, true), ''::text))

table products row level security forced
  customer_id text collate "C" not null
  id text collate "C" not null
  name text collate "C" not null
  part_numbers text[] collate "C" not null default '{}'::text[]
  model text collate "C"
  model_sort text collate "C" not null
  brand text collate "C"
  manufacturer text collate "C"
  product_status text collate "C" not null default 'active'::text
  category text collate "C"
  technologies text[] collate "C" not null default '{}'::text[]
  hardware_version text collate "C"
  software_version text collate "C"
  parent_product_id text collate "C"
  tags text[] collate "C" not null default '{}'::text[]
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  created_xid xid8
  constraint products_id_check CHECK (((id ~ '^[A-Za-z0-9._~-]{1,64}$'::text) AND (id !~ '^[.]+$'::text)))
  constraint products_model_check CHECK ((octet_length(model) <= 2000))
  constraint products_name_check CHECK ((octet_length(name) <= 2000))
  constraint products_part_numbers_list CHECK (is_list(part_numbers))
  constraint products_product_status_check CHECK ((product_status = ANY (ARRAY['draft'::text, 'in_development'::text, 'active'::text, 'phase_out'::text, 'discontinued'::text])))
  constraint products_tags_list CHECK (is_list(tags))
  constraint products_technologies_check CHECK ((technologies <@ ARRAY['wifi'::text, 'bluetooth'::text, 'cellular'::text, 'nfc'::text, 'uwb'::text, 'srd'::text, 'gnss'::text, 'radar'::text, 'lpwan'::text, 'satellite'::text, 'wireless_power'::text]))
  constraint products_technologies_list CHECK (is_list(technologies))
  constraint products_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint products_pkey PRIMARY KEY (customer_id, id)
  CREATE INDEX products_created_at ON public.products USING btree (customer_id, created_at, id)
  CREATE INDEX products_model ON public.products USING btree (customer_id, model_sort, id)
  CREATE INDEX products_name ON public.products USING btree (customer_id, name, id)
  CREATE INDEX products_parent ON public.products USING btree (customer_id, parent_product_id) WHERE (parent_product_id IS NOT NULL)
  CREATE INDEX products_product_status ON public.products USING btree (customer_id, product_status)
  CREATE INDEX products_updated_at ON public.products USING btree (customer_id, updated_at, id)
  CREATE TRIGGER products_before BEFORE INSERT OR UPDATE ON public.products FOR EACH ROW EXECUTE FUNCTION products_before() enabled always
  CREATE TRIGGER products_elements_delete AFTER DELETE ON public.products REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION products_elements_delete() enabled always
  CREATE TRIGGER products_elements_insert AFTER INSERT ON public.products REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION products_elements_insert() enabled always
  CREATE TRIGGER products_elements_update AFTER UPDATE ON public.products FOR EACH ROW EXECUTE FUNCTION products_elements_update() enabled always
  CREATE TRIGGER products_log_delete AFTER DELETE ON public.products REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION records_log_delete('name', 'part_numbers', 'model', 'brand', 'manufacturer', 'product_status', 'category', 'technologies', 'hardware_version', 'software_version', 'parent_product_id', 'tags', 'created_at') enabled always
  CREATE TRIGGER products_log_insert AFTER INSERT ON public.products REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION records_log_insert() enabled always
  CREATE TRIGGER products_log_moved AFTER UPDATE OF customer_id, id ON public.products FOR EACH ROW WHEN (((old.customer_id IS DISTINCT FROM new.customer_id) OR (old.id IS DISTINCT FROM new.id))) EXECUTE FUNCTION records_log_moved('name', 'part_numbers', 'model', 'brand', 'manufacturer', 'product_status', 'category', 'technologies', 'hardware_version', 'software_version', 'parent_product_id', 'tags', 'created_at') enabled always
  CREATE TRIGGER products_log_truncate AFTER TRUNCATE ON public.products FOR EACH STATEMENT EXECUTE FUNCTION log_records_truncate() enabled always
  CREATE TRIGGER products_log_update AFTER UPDATE ON public.products FOR EACH ROW EXECUTE FUNCTION products_log_update() enabled always
  CREATE TRIGGER products_words_delete AFTER DELETE ON public.products REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION records_words_delete() enabled always
  CREATE TRIGGER products_words_insert AFTER INSERT ON public.products REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION products_words_insert() enabled always
  CREATE TRIGGER products_words_update AFTER UPDATE ON public.products FOR EACH ROW EXECUTE FUNCTION products_words_update() enabled always
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = NULLIF(current_setting('app.customer_id'::text, true), ''::text))

table projects row level security forced
  customer_id text collate "C" not null
  id text collate "C" not null
  project_number text collate "C" not null
  customer_reference text collate "C"
  title text collate "C" not null
  status text collate "C" not null default 'draft'::text
  classification text collate "C"
  product_ids text[] collate "C" not null default '{}'::text[]
  country_codes text[] collate "C" not null default '{}'::text[]
  ordered_on calendar_date
  ordered_on_sort date not null
  due_on calendar_date
  due_on_sort date not null
  completed_on calendar_date
  tags text[] collate "C" not null default '{}'::text[]
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  created_xid xid8
  constraint projects_classification_check CHECK ((classification = ANY (ARRAY['new_certification'::text, 'renewal'::text, 'modification'::text, 'variant'::text, 'extension'::text, 'transfer'::text, 'pre_compliance'::text, 'testing'::text, 'consulting'::text])))
  constraint projects_country_codes_list CHECK (is_list(country_codes))
  constraint projects_id_check CHECK (((id ~ '^[A-Za-z0-9._~-]{1,64}$'::text) AND (id !~ '^[.]+$'::text)))
  constraint projects_product_ids_list CHECK (is_list(product_ids))
  constraint projects_project_number_check CHECK ((octet_length(project_number) <= 2000))
  constraint projects_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'quoted'::text, 'ordered'::text, 'in_progress'::text, 'on_hold'::text, 'completed'::text, 'cancelled'::text, 'declined'::text])))
  constraint projects_tags_list CHECK (is_list(tags))
  constraint projects_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint projects_pkey PRIMARY KEY (customer_id, id)
  CREATE INDEX projects_completed_on ON public.projects USING btree (customer_id, completed_on) WHERE (completed_on IS NOT NULL)
  CREATE INDEX projects_created_at ON public.projects USING btree (customer_id, created_at, id)
  CREATE INDEX projects_due_on ON public.projects USING btree (customer_id, due_on_sort, id)
  CREATE INDEX projects_ordered_on ON public.projects USING btree (customer_id, ordered_on_sort, id)
  CREATE INDEX projects_project_number ON public.projects USING btree (customer_id, project_number, id)
  CREATE INDEX projects_updated_at ON public.projects USING btree (customer_id, updated_at, id)
  CREATE TRIGGER projects_before BEFORE INSERT OR UPDATE ON public.projects FOR EACH ROW EXECUTE FUNCTION projects_before() enabled always
  CREATE TRIGGER projects_elements_delete AFTER DELETE ON public.projects REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION projects_elements_delete() enabled always
  CREATE TRIGGER projects_elements_insert AFTER INSERT ON public.projects REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION projects_elements_insert() enabled always
  CREATE TRIGGER projects_elements_update AFTER UPDATE ON public.projects FOR EACH ROW EXECUTE FUNCTION projects_elements_update() enabled always
  CREATE TRIGGER projects_log_delete AFTER DELETE ON public.projects REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION records_log_delete('project_number', 'customer_reference', 'title', 'status', 'classification', 'product_ids', 'country_codes', 'ordered_on', 'due_on', 'completed_on', 'tags', 'created_at') enabled always
  CREATE TRIGGER projects_log_insert AFTER INSERT ON public.projects REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION records_log_insert() enabled always
  CREATE TRIGGER projects_log_moved AFTER UPDATE OF customer_id, id ON public.projects FOR EACH ROW WHEN (((old.customer_id IS DISTINCT FROM new.customer_id) OR (old.id IS DISTINCT FROM new.id))) EXECUTE FUNCTION records_log_moved('project_number', 'customer_reference', 'title', 'status', 'classification', 'product_ids', 'country_codes', 'ordered_on', 'due_on', 'completed_on', 'tags', 'created_at') enabled always
  CREATE TRIGGER projects_log_truncate AFTER TRUNCATE ON public.projects FOR EACH STATEMENT EXECUTE FUNCTION log_records_truncate() enabled always
  CREATE TRIGGER projects_log_update AFTER UPDATE ON public.projects FOR EACH ROW EXECUTE FUNCTION projects_log_update() enabled always
  CREATE TRIGGER projects_words_delete AFTER DELETE ON public.projects REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION records_words_delete() enabled always
  CREATE TRIGGER projects_words_insert AFTER INSERT ON public.projects REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION projects_words_insert() enabled always
  CREATE TRIGGER projects_words_update AFTER UPDATE ON public.projects FOR EACH ROW EXECUTE FUNCTION projects_words_update() enabled always
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = NULLIF(current_setting('app.customer_id'::text, true), ''::text))

table record_history row level security forced
  customer_id text collate "C" not null
  resource text collate "C" not null
  record_id text collate "C" not null
  position bigint not null generated by default as identity
  at timestamp with time zone not null
  since timestamp with time zone
  old jsonb
  xid xid8 not null default pg_current_xact_id()
  constraint record_history_pkey PRIMARY KEY (customer_id, resource, record_id, "position")
  CREATE INDEX record_history_ends ON public.record_history USING btree (customer_id, resource, record_id, "position") WHERE ((old ? 'created_at'::text) OR (old = '{}'::jsonb))
  CREATE INDEX record_history_resource ON public.record_history USING btree (customer_id, resource, at, record_id, "position")
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = NULLIF(current_setting('app.customer_id'::text, true), ''::text))

sequence record_history_position_seq as bigint from 1 by 2 between 1 and 9223372036854775807 cache 1 cycle f

table record_words row level security forced
  customer_id text collate "C" not null
  resource text collate "C" not null
  id text collate "C" not null
  words tsvector not null
  constraint record_words_pkey PRIMARY KEY (customer_id, resource, id)
  CREATE INDEX record_words_words ON public.record_words USING gin (words) WITH (gin_pending_list_limit='1024')
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = ANY (ARRAY[NULLIF(current_setting('app.customer_id'::text, true), ''::text), '*'::text]))

table reference_data
  name text not null
  digest text not null
  loaded_at timestamp with time zone not null default now()
  constraint reference_data_pkey PRIMARY KEY (name)

view reference_history with (security_barrier=true)
 SELECT customer_id,
    resource,
    record_id,
    "position",
    at,
    since,
    old,
    xid
   FROM record_history
  WHERE (customer_id = '*'::text);

table removals row level security forced
  customer_id text collate "C" not null
  resource text collate "C" not null
  changed_at timestamp with time zone not null
  xid xid8 not null default pg_current_xact_id()
  constraint removals_pkey PRIMARY KEY (customer_id, resource, changed_at, xid)
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = ANY (ARRAY[NULLIF(current_setting('app.customer_id'::text, true), ''::text), '*'::text]))

table revoked_tokens row level security forced
  customer_id text collate "C" not null
  key_id text collate "C" not null
  jti text collate "C" not null
  expires_at timestamp with time zone not null
  revoked_at timestamp with time zone not null default now()
  constraint revoked_tokens_jti_check CHECK (((octet_length(jti) >= 1) AND (octet_length(jti) <= 64)))
  constraint revoked_tokens_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint revoked_tokens_pkey PRIMARY KEY (customer_id, key_id, jti)
  CREATE INDEX revoked_tokens_expiry ON public.revoked_tokens USING btree (expires_at)
  CREATE TRIGGER revoked_tokens_log_change AFTER INSERT OR DELETE OR UPDATE ON public.revoked_tokens FOR EACH ROW EXECUTE FUNCTION log_rights() enabled always
  CREATE TRIGGER revoked_tokens_log_truncate AFTER TRUNCATE ON public.revoked_tokens FOR EACH STATEMENT EXECUTE FUNCTION log_truncate('auth') enabled always
  policy operator permissive for * to certdata_operator using true with check true

table service_minutes
  minute timestamp with time zone not null
  instance text collate "C" not null
  slots smallint not null
  requests integer not null
  failed integer not null
  timed integer not null
  duration_ms double precision not null
  hits integer not null
  age_ms integer
  buckets integer[] not null
  constraint service_minutes_age_ms_check CHECK ((age_ms >= 0))
  constraint service_minutes_buckets_check CHECK ((cardinality(buckets) <= 73))
  constraint service_minutes_check CHECK (((failed >= 0) AND (failed <= requests)))
  constraint service_minutes_check1 CHECK (((hits >= 0) AND (hits <= timed)))
  constraint service_minutes_duration_ms_check CHECK ((duration_ms >= (0)::double precision))
  constraint service_minutes_instance_check CHECK (((octet_length(instance) >= 1) AND (octet_length(instance) <= 64)))
  constraint service_minutes_minute_check CHECK ((minute = date_trunc('minute'::text, minute)))
  constraint service_minutes_requests_check CHECK ((requests >= 0))
  constraint service_minutes_slots_check CHECK (((slots >= 0) AND (slots <= 63)))
  constraint service_minutes_timed_check CHECK ((timed >= 0))
  constraint service_minutes_pkey PRIMARY KEY (minute, instance)

table service_notes
  id bigint not null generated always as identity
  starts_at timestamp with time zone not null
  ends_at timestamp with time zone not null
  text text not null
  created_at timestamp with time zone not null default now()
  constraint service_notes_check CHECK ((ends_at > starts_at))
  constraint service_notes_text_check CHECK (((char_length(text) >= 1) AND (char_length(text) <= 500)))
  constraint service_notes_pkey PRIMARY KEY (id)

sequence service_notes_id_seq as bigint from 1 by 1 between 1 and 9223372036854775807 cache 1 cycle f

table service_origins
  origin text collate "C" not null
  started_at timestamp with time zone not null default now()
  constraint service_origins_origin_check CHECK (((octet_length(origin) >= 1) AND (octet_length(origin) <= 2000)))
  constraint service_origins_pkey PRIMARY KEY (origin)

table signing_keys
  kid text collate "C" not null
  state text not null
  public_jwk jsonb not null
  encrypted_private_key bytea not null
  created_at timestamp with time zone not null default now()
  activated_at timestamp with time zone
  retired_at timestamp with time zone
  tokens_until timestamp with time zone
  constraint signing_keys_state_check CHECK ((state = ANY (ARRAY['next'::text, 'active'::text, 'retiring'::text])))
  constraint signing_keys_pkey PRIMARY KEY (kid)
  CREATE UNIQUE INDEX signing_keys_one_active ON public.signing_keys USING btree (state) WHERE (state = 'active'::text)
  CREATE UNIQUE INDEX signing_keys_one_next ON public.signing_keys USING btree (state) WHERE (state = 'next'::text)

table usage_days row level security forced
  customer_id text collate "C" not null
  day date not null
  endpoint text collate "C" not null
  requests bigint not null
  not_modified bigint not null
  refused bigint not null
  bytes bigint not null
  constraint usage_days_bytes_check CHECK ((bytes >= 0))
  constraint usage_days_endpoint_check CHECK (((octet_length(endpoint) >= 1) AND (octet_length(endpoint) <= 200)))
  constraint usage_days_not_modified_check CHECK ((not_modified >= 0))
  constraint usage_days_refused_check CHECK ((refused >= 0))
  constraint usage_days_requests_check CHECK ((requests > 0))
  constraint usage_days_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint usage_days_pkey PRIMARY KEY (customer_id, day, endpoint)
  CREATE INDEX usage_days_day ON public.usage_days USING btree (day)
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = NULLIF(current_setting('app.customer_id'::text, true), ''::text))

table usage_writers
  writer uuid not null
  batch bigint not null
  written_at timestamp with time zone not null default now()
  constraint usage_writers_pkey PRIMARY KEY (writer)
  CREATE INDEX usage_writers_written_at ON public.usage_writers USING btree (written_at)

table used_assertions row level security forced
  customer_id text collate "C" not null
  key_id text collate "C" not null
  jti_sha256 bytea not null
  expires_at timestamp with time zone not null
  constraint used_assertions_jti_sha256_check CHECK ((octet_length(jti_sha256) = 32))
  constraint used_assertions_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint used_assertions_pkey PRIMARY KEY (customer_id, key_id, jti_sha256)
  CREATE INDEX used_assertions_expiry ON public.used_assertions USING btree (expires_at)
  policy operator permissive for * to certdata_operator using true with check true

type validity_period
  from calendar_date
  until calendar_date
  basis text

table webhook_deliveries row level security forced
  customer_id text collate "C" not null
  webhook_id text collate "C" not null
  attempt_id bigint not null generated always as identity
  at timestamp with time zone not null
  message_id text not null
  result text not null
  constraint webhook_deliveries_customer_id_webhook_id_fkey FOREIGN KEY (customer_id, webhook_id) REFERENCES webhooks(customer_id, webhook_id) ON DELETE CASCADE
  constraint webhook_deliveries_pkey PRIMARY KEY (customer_id, webhook_id, attempt_id)
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = NULLIF(current_setting('app.customer_id'::text, true), ''::text))

sequence webhook_deliveries_attempt_id_seq as bigint from 1 by 1 between 1 and 9223372036854775807 cache 1 cycle f

table webhooks row level security forced
  customer_id text collate "C" not null
  webhook_id text collate "C" not null
  url text not null
  resources text[] not null
  state text not null default 'active'::text
  reason text
  created_at timestamp with time zone not null default now()
  changed_at timestamp with time zone not null default now()
  token text not null
  since xid8 not null
  day date not null
  identity text not null
  message_id text
  message_at timestamp with time zone
  message_resources text[]
  message_after text
  next_token text
  next_since xid8
  next_day date
  next_identity text
  attempts integer not null default 0
  failing_since timestamp with time zone
  next_attempt_at timestamp with time zone
  last_result text
  delivered_at timestamp with time zone
  holder uuid
  held_until timestamp with time zone
  constraint webhooks_reason_check CHECK ((reason = ANY (ARRAY['operator'::text, 'gone'::text, 'failing'::text])))
  constraint webhooks_resources_check CHECK ((cardinality(resources) > 0))
  constraint webhooks_state_check CHECK ((state = ANY (ARRAY['active'::text, 'disabled'::text])))
  constraint webhooks_webhook_id_check CHECK ((webhook_id ~ '^wh_[a-z0-9]{16}$'::text))
  constraint webhooks_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(customer_id) ON DELETE CASCADE
  constraint webhooks_pkey PRIMARY KEY (customer_id, webhook_id)
  CREATE UNIQUE INDEX webhooks_id ON public.webhooks USING btree (webhook_id)
  policy operator permissive for * to certdata_operator using true with check true
  policy reader permissive for r to certdata_reader using (customer_id = NULLIF(current_setting('app.customer_id'::text, true), ''::text))

type weeks
  min integer
  max integer

CREATE OR REPLACE FUNCTION public.add_access_request(text, text, text, text, text, timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  insert into access_requests (request_id, company, name, email, message, due_at)
  values ($1, $2, $3, $4, $5, $6)
$function$


CREATE OR REPLACE FUNCTION public.add_audit_reads(entries json)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select pg_advisory_xact_lock(hashtextextended('certdata audit reads', 0));

  with given as (
    select (e #>> '{details,minute}')::timestamptz as minute, e #- '{details,count}' #- '{details,rows}' as entry,
      sum((e #>> '{details,count}')::bigint) as count, sum((e #>> '{details,rows}')::bigint) as rows
    from jsonb_array_elements(entries::jsonb) e group by 1, 2
  ), present as materialized (
    select r.minute, r.entry ->> 'key_id' as key_id, count(*) as n from audit_reads r
    where r.minute in (select g.minute from given g) and r.entry #>> '{details,query}' is not null
    group by 1, 2
  ), judged as (
    select g.*, g.entry #>> '{details,query}' is not null
      and not exists (select from audit_reads r where r.minute = g.minute and r.entry = g.entry) as is_new
    from given g
  ), ranked as (
    select j.*, coalesce(p.n, 0)
      + row_number() over (partition by j.minute, j.entry ->> 'key_id', j.is_new order by j.entry) as place
    from judged j
    left join present p on p.minute = j.minute and p.key_id = j.entry ->> 'key_id'
  )
  insert into audit_reads as r (minute, entry, count, rows)
  select minute, case when is_new and place > 100 then jsonb_set(entry, '{details,query}', 'null') else entry end,
    sum(count), sum(rows)
  from ranked group by 1, 2 order by 1, 2
  on conflict (minute, entry) do update set count = r.count + excluded.count, rows = r.rows + excluded.rows
$function$


CREATE OR REPLACE FUNCTION public.add_usage(process uuid, number bigint, counts json)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with claimed as (
    insert into usage_writers as w (writer, batch) values (process, number)
    on conflict (writer) do update set batch = excluded.batch, written_at = now() where w.batch < excluded.batch
    returning writer
  ), given as materialized (
    select k.customer_id, g.day, g.endpoint, sum(g.requests) as requests, sum(g.not_modified) as not_modified,
      sum(g.refused) as refused, sum(g.bytes) as bytes
    from json_to_recordset(counts) as g (key_id text, day date, endpoint text, requests bigint,
      not_modified bigint, refused bigint, bytes bigint)
    join api_keys k on k.key_id = g.key_id
    where exists (select from claimed)
    group by 1, 2, 3
  ), present as materialized (
    select c.customer_id from customers c
    where c.customer_id in (select g.customer_id from given g) order by c.customer_id for key share
  )
  insert into usage_days as u (customer_id, day, endpoint, requests, not_modified, refused, bytes)
  select g.* from given g join present p on p.customer_id = g.customer_id
  order by g.customer_id, g.day, g.endpoint
  on conflict (customer_id, day, endpoint) do update set requests = u.requests + excluded.requests,
    not_modified = u.not_modified + excluded.not_modified, refused = u.refused + excluded.refused,
    bytes = u.bytes + excluded.bytes
$function$


CREATE OR REPLACE FUNCTION public.append_audit(entries json)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with given as materialized (
    select g.*,
      coalesce(g.customer, (select k.customer_id from api_keys k where k.key_id = g.key_id)) as named
    from rows from (json_to_recordset(entries) as (actor text, action text, outcome text, request_id text,
      customer text, key_id text, subject text, client text, details json)) with ordinality as g (actor,
      action, outcome, request_id, customer, key_id, subject, client, details, n)
  ), known as materialized (
    select c.customer_id, c.audit_ref from customers c
    where c.customer_id = any (array(select g.named from given g)) for key share
  )
  select write_audit_entries(coalesce(json_agg(json_build_object(
    'actor', g.actor, 'customer_ref', c.audit_ref, 'action', g.action, 'outcome', g.outcome,
    'request_id', g.request_id,
    'personal', json_build_object(
      'customer', c.customer_id,
      'operator', case when g.actor = 'operator' then audit_operator() end,
      'key', case when c.customer_id is not null then g.key_id end,
      'subject', case when gone then null else g.subject end,
      'client', case when gone then null else g.client end,
      'details', case when gone then null else g.details end)) order by g.n), '[]'))
  from given g left join known c on c.customer_id = g.named
  cross join lateral (select g.named is not null and c.customer_id is null) as l (gone)
$function$


CREATE OR REPLACE FUNCTION public.append_audit_seals(seals json)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with given as materialized (
    select * from json_to_recordset(seals) as s (
      seal_no bigint, entry_id bigint, commitment text, mac text, number bigint)
  ), done as (
    delete from audit_pending q using given g where q.entry_id = g.entry_id
  )
  insert into audit_seals (seal_no, entry_id, commitment, mac, number)
  select seal_no, entry_id, decode(commitment, 'hex'), decode(mac, 'hex'), number from given
$function$


CREATE OR REPLACE FUNCTION public.approvals_before()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.requested_on_sort := coalesce(new.requested_on, 'infinity');
  new.expected_on_sort := coalesce(new.expected_on, 'infinity');
  if tg_op = 'INSERT' then
    -- See docs/decisions/0160-imported-customers-keep-their-times.md.
    if current_setting('app.keeps_times', true) is distinct from 'on' then
      new.created_at := now();
      new.updated_at := now();
    end if;
    new.created_xid := pg_current_xact_id();
    return new;
  end if;
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id then
    new.created_at := greatest(now(), old.updated_at);
    new.created_xid := pg_current_xact_id();
  else
    new.created_xid := old.created_xid;
    if old.created_at is distinct from new.created_at then
      new.created_at := greatest(old.created_at, former_end(new.customer_id, 'approvals', new.id));
    end if;
  end if;
  new.updated_at := old.updated_at;
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id) and new.product_id is not distinct from old.product_id
    and new.country_code is not distinct from old.country_code
    and new.scheme is not distinct from old.scheme
    and new.project_id is not distinct from old.project_id
    and new.certificate_id is not distinct from old.certificate_id
    and new.status is not distinct from old.status
    and new.phase is not distinct from old.phase
    and new.requested_on is not distinct from old.requested_on
    and new.submitted_on is not distinct from old.submitted_on
    and new.decided_on is not distinct from old.decided_on
    and new.expected_on is not distinct from old.expected_on
    and new.tags is not distinct from old.tags
    and new.created_at is not distinct from old.created_at then return new; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $function$


CREATE OR REPLACE FUNCTION public.approvals_elements_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from elements e using (
    select distinct r.customer_id, f.name, v as value, r.id
    from old_rows r cross join lateral (values ('tags', r.tags)) f (name, list) cross join unnest(f.list) v) g
    where e.customer_id = g.customer_id and e.resource = 'approvals' and e.field = g.name and e.value = g.value
      and e.id = g.id;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.approvals_elements_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into elements (customer_id, resource, field, value, id)
    select distinct r.customer_id, 'approvals', f.name, v, r.id
    from new_rows r cross join lateral (values ('tags', r.tags)) f (name, list) cross join unnest(f.list) v
    on conflict do nothing;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.approvals_elements_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or old.tags is distinct from new.tags) then return null; end if;
  delete from elements e using (
    select old.customer_id, f.name, v as value, old.id from (values ('tags', old.tags)) f (name, list), unnest(f.list) v
    except
    select new.customer_id, f.name, v, new.id from (values ('tags', new.tags)) f (name, list), unnest(f.list) v) g
    where e.customer_id = g.customer_id and e.resource = 'approvals' and e.field = g.name and e.value = g.value
      and e.id = g.id;
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'approvals', n.name, n.value, n.id from (
      select new.customer_id, f.name, v as value, new.id from (values ('tags', new.tags)) f (name, list), unnest(f.list) v
      except
      select old.customer_id, f.name, v, old.id from (values ('tags', old.tags)) f (name, list), unnest(f.list) v) n
    on conflict do nothing;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.approvals_log_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare former text;
begin
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or (new.product_id is not distinct from old.product_id
    and new.country_code is not distinct from old.country_code
    and new.scheme is not distinct from old.scheme
    and new.project_id is not distinct from old.project_id
    and new.certificate_id is not distinct from old.certificate_id
    and new.status is not distinct from old.status
    and new.phase is not distinct from old.phase
    and new.requested_on is not distinct from old.requested_on
    and new.submitted_on is not distinct from old.submitted_on
    and new.decided_on is not distinct from old.decided_on
    and new.expected_on is not distinct from old.expected_on
    and new.tags is not distinct from old.tags
    and new.created_at is not distinct from old.created_at) then return null; end if;
  insert into change_log (customer_id, resource, record_id) values (new.customer_id, 'approvals', new.id);
  -- history
  former := concat_ws(',',
    case when old.product_id is distinct from new.product_id then '"product_id":' || coalesce(to_json(old.product_id)::text, 'null') end,
    case when old.country_code is distinct from new.country_code then '"country_code":' || coalesce(to_json(old.country_code)::text, 'null') end,
    case when old.scheme is distinct from new.scheme then '"scheme":' || coalesce(to_json(old.scheme)::text, 'null') end,
    case when old.project_id is distinct from new.project_id then '"project_id":' || coalesce(to_json(old.project_id)::text, 'null') end,
    case when old.certificate_id is distinct from new.certificate_id then '"certificate_id":' || coalesce(to_json(old.certificate_id)::text, 'null') end,
    case when old.status is distinct from new.status then '"status":' || coalesce(to_json(old.status)::text, 'null') end,
    case when old.phase is distinct from new.phase then '"phase":' || coalesce(to_json(old.phase)::text, 'null') end,
    case when old.requested_on is distinct from new.requested_on then '"requested_on":' || coalesce(to_json(old.requested_on)::text, 'null') end,
    case when old.submitted_on is distinct from new.submitted_on then '"submitted_on":' || coalesce(to_json(old.submitted_on)::text, 'null') end,
    case when old.decided_on is distinct from new.decided_on then '"decided_on":' || coalesce(to_json(old.decided_on)::text, 'null') end,
    case when old.expected_on is distinct from new.expected_on then '"expected_on":' || coalesce(to_json(old.expected_on)::text, 'null') end,
    case when old.tags is distinct from new.tags then '"tags":' || coalesce(to_json(old.tags)::text, 'null') end);
  if former <> '' then
    insert into record_history (customer_id, resource, record_id, at, since, old)
      values (new.customer_id, 'approvals', new.id, new.updated_at, old.updated_at, ('{' || former || '}')::jsonb);
  end if;
  -- end
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.approvals_words_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into record_words (customer_id, resource, id, words)
    select r.customer_id, 'approvals', r.id, words_vector(array(
    select 'approvals/' || r.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', r.scheme, r.product_id, r.certificate_id))) word
    where length(word) > 1)) from new_rows r;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.approvals_words_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or old.certificate_id is distinct from new.certificate_id or old.product_id is distinct from new.product_id or old.scheme is distinct from new.scheme) then return null; end if;
  update record_words w set customer_id = new.customer_id, id = new.id, words = words_vector(array(
    select 'approvals/' || new.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', new.scheme, new.product_id, new.certificate_id))) word
    where length(word) > 1))
  where w.customer_id = old.customer_id and w.resource = 'approvals' and w.id = old.id;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.audit_head()
 RETURNS TABLE(seal_no bigint, mac bytea)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select seal_no, mac from (
    (select s.seal_no, s.mac from audit_seals s order by s.seal_no desc limit 1)
    union all (select a.seal_no, a.seal_mac from audit_anchor a)
  ) heads order by seal_no desc limit 1
$function$


CREATE OR REPLACE FUNCTION public.audit_operator()
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select nullif(convert_from(decode(current_setting('app.operator', true), 'hex'), 'UTF8'), '')
$function$


CREATE OR REPLACE FUNCTION public.begin_changes(reach interval)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not exists (select from change_state s where s.identity = change_identity()) then
    perform pg_advisory_xact_lock(hashtextextended('certdata change log', 0));
    if not exists (select from change_state s where s.identity = change_identity()) then
      delete from change_log;
      delete from change_samples;
      delete from change_marks;
      insert into change_state (identity, pruned_below, history_floor)
        values (change_identity(), pg_snapshot_xmin(pg_current_snapshot()),
          (select case when is_called then last_value else 0 end from record_history_position_seq))
        on conflict (only_row) do update set identity = excluded.identity,
          pruned_below = excluded.pruned_below, history_floor = excluded.history_floor;
    end if;
  end if;
  perform mark_changes(null);
  return coalesce(
    (select s.snapshot::text from change_samples s where s.sampled_at <= now() - reach
      order by s.sampled_at desc limit 1),
    (select s.snapshot::text from change_samples s order by s.sampled_at limit 1));
end $function$


CREATE OR REPLACE FUNCTION public.certificates_before()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.valid_from_sort := coalesce(new.valid_from, 'infinity');
  new.valid_until_sort := coalesce(new.valid_until, 'infinity');
  new.issued_on_sort := coalesce(new.issued_on, 'infinity');
  if tg_op = 'INSERT' then
    -- See docs/decisions/0160-imported-customers-keep-their-times.md.
    if current_setting('app.keeps_times', true) is distinct from 'on' then
      new.created_at := now();
      new.updated_at := now();
    end if;
    new.created_xid := pg_current_xact_id();
    return new;
  end if;
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id then
    new.created_at := greatest(now(), old.updated_at);
    new.created_xid := pg_current_xact_id();
  else
    new.created_xid := old.created_xid;
    if old.created_at is distinct from new.created_at then
      new.created_at := greatest(old.created_at, former_end(new.customer_id, 'certificates', new.id));
    end if;
  end if;
  new.updated_at := old.updated_at;
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id) and new.number is not distinct from old.number
    and new.title is not distinct from old.title
    and new.product_id is not distinct from old.product_id
    and new.project_id is not distinct from old.project_id
    and new.approval_id is not distinct from old.approval_id
    and new.supersedes_id is not distinct from old.supersedes_id
    and new.country_code is not distinct from old.country_code
    and new.authority is not distinct from old.authority
    and new.scheme is not distinct from old.scheme
    and new.certificate_type is not distinct from old.certificate_type
    and new.approval_status is not distinct from old.approval_status
    and new.valid_from is not distinct from old.valid_from
    and new.valid_until is not distinct from old.valid_until
    and new.validity_periods is not distinct from old.validity_periods
    and new.issued_on is not distinct from old.issued_on
    and new.holder is not distinct from old.holder
    and new.standards is not distinct from old.standards
    and new.tags is not distinct from old.tags
    and new.source_url is not distinct from old.source_url
    and new.created_at is not distinct from old.created_at then return new; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $function$


CREATE OR REPLACE FUNCTION public.certificates_elements_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from elements e using (
    select distinct r.customer_id, f.name, v as value, r.id
    from old_rows r cross join lateral (values ('standards', r.standards), ('tags', r.tags)) f (name, list) cross join unnest(f.list) v) g
    where e.customer_id = g.customer_id and e.resource = 'certificates' and e.field = g.name and e.value = g.value
      and e.id = g.id;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.certificates_elements_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into elements (customer_id, resource, field, value, id)
    select distinct r.customer_id, 'certificates', f.name, v, r.id
    from new_rows r cross join lateral (values ('standards', r.standards), ('tags', r.tags)) f (name, list) cross join unnest(f.list) v
    on conflict do nothing;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.certificates_elements_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or old.standards is distinct from new.standards or old.tags is distinct from new.tags) then return null; end if;
  delete from elements e using (
    select old.customer_id, f.name, v as value, old.id from (values ('standards', old.standards), ('tags', old.tags)) f (name, list), unnest(f.list) v
    except
    select new.customer_id, f.name, v, new.id from (values ('standards', new.standards), ('tags', new.tags)) f (name, list), unnest(f.list) v) g
    where e.customer_id = g.customer_id and e.resource = 'certificates' and e.field = g.name and e.value = g.value
      and e.id = g.id;
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'certificates', n.name, n.value, n.id from (
      select new.customer_id, f.name, v as value, new.id from (values ('standards', new.standards), ('tags', new.tags)) f (name, list), unnest(f.list) v
      except
      select old.customer_id, f.name, v, old.id from (values ('standards', old.standards), ('tags', old.tags)) f (name, list), unnest(f.list) v) n
    on conflict do nothing;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.certificates_log_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare former text;
begin
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or (new.number is not distinct from old.number
    and new.title is not distinct from old.title
    and new.product_id is not distinct from old.product_id
    and new.project_id is not distinct from old.project_id
    and new.approval_id is not distinct from old.approval_id
    and new.supersedes_id is not distinct from old.supersedes_id
    and new.country_code is not distinct from old.country_code
    and new.authority is not distinct from old.authority
    and new.scheme is not distinct from old.scheme
    and new.certificate_type is not distinct from old.certificate_type
    and new.approval_status is not distinct from old.approval_status
    and new.valid_from is not distinct from old.valid_from
    and new.valid_until is not distinct from old.valid_until
    and new.validity_periods is not distinct from old.validity_periods
    and new.issued_on is not distinct from old.issued_on
    and new.holder is not distinct from old.holder
    and new.standards is not distinct from old.standards
    and new.tags is not distinct from old.tags
    and new.source_url is not distinct from old.source_url
    and new.created_at is not distinct from old.created_at) then return null; end if;
  insert into change_log (customer_id, resource, record_id) values (new.customer_id, 'certificates', new.id);
  -- history
  former := concat_ws(',',
    case when old.number is distinct from new.number then '"number":' || coalesce(to_json(old.number)::text, 'null') end,
    case when old.title is distinct from new.title then '"title":' || coalesce(to_json(old.title)::text, 'null') end,
    case when old.product_id is distinct from new.product_id then '"product_id":' || coalesce(to_json(old.product_id)::text, 'null') end,
    case when old.project_id is distinct from new.project_id then '"project_id":' || coalesce(to_json(old.project_id)::text, 'null') end,
    case when old.approval_id is distinct from new.approval_id then '"approval_id":' || coalesce(to_json(old.approval_id)::text, 'null') end,
    case when old.supersedes_id is distinct from new.supersedes_id then '"supersedes_id":' || coalesce(to_json(old.supersedes_id)::text, 'null') end,
    case when old.country_code is distinct from new.country_code then '"country_code":' || coalesce(to_json(old.country_code)::text, 'null') end,
    case when old.authority is distinct from new.authority then '"authority":' || coalesce(to_json(old.authority)::text, 'null') end,
    case when old.scheme is distinct from new.scheme then '"scheme":' || coalesce(to_json(old.scheme)::text, 'null') end,
    case when old.certificate_type is distinct from new.certificate_type then '"certificate_type":' || coalesce(to_json(old.certificate_type)::text, 'null') end,
    case when old.approval_status is distinct from new.approval_status then '"approval_status":' || coalesce(to_json(old.approval_status)::text, 'null') end,
    case when old.valid_from is distinct from new.valid_from then '"valid_from":' || coalesce(to_json(old.valid_from)::text, 'null') end,
    case when old.valid_until is distinct from new.valid_until then '"valid_until":' || coalesce(to_json(old.valid_until)::text, 'null') end,
    case when old.validity_periods is distinct from new.validity_periods then '"validity_periods":' || coalesce(to_json(old.validity_periods)::text, 'null') end,
    case when old.issued_on is distinct from new.issued_on then '"issued_on":' || coalesce(to_json(old.issued_on)::text, 'null') end,
    case when old.holder is distinct from new.holder then '"holder":' || coalesce(to_json(old.holder)::text, 'null') end,
    case when old.standards is distinct from new.standards then '"standards":' || coalesce(to_json(old.standards)::text, 'null') end,
    case when old.tags is distinct from new.tags then '"tags":' || coalesce(to_json(old.tags)::text, 'null') end,
    case when old.source_url is distinct from new.source_url then '"source_url":' || coalesce(to_json(old.source_url)::text, 'null') end);
  if former <> '' then
    insert into record_history (customer_id, resource, record_id, at, since, old)
      values (new.customer_id, 'certificates', new.id, new.updated_at, old.updated_at, ('{' || former || '}')::jsonb);
  end if;
  -- end
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.certificates_words_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into record_words (customer_id, resource, id, words)
    select r.customer_id, 'certificates', r.id, words_vector(array(
    select 'certificates/' || r.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', r.number, r.title, r.holder))) word
    where length(word) > 1)) from new_rows r;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.certificates_words_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or old.holder is distinct from new.holder or old.number is distinct from new.number or old.title is distinct from new.title) then return null; end if;
  update record_words w set customer_id = new.customer_id, id = new.id, words = words_vector(array(
    select 'certificates/' || new.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', new.number, new.title, new.holder))) word
    where length(word) > 1))
  where w.customer_id = old.customer_id and w.resource = 'certificates' and w.id = old.id;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.change_demo_record(change boolean)
 RETURNS TABLE(id text, status text, until timestamp with time zone)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select pg_advisory_xact_lock(hashtextextended('certdata demo changes', 0));
  select trim_demo_history('approvals', d.id) from demo_changes d;

  with due as materialized (
    select d.id, d.original from demo_changes d where d.until <= now() order by d.id for update skip locked
  ), undone as (
    update approvals a set status = due.original from due where a.customer_id = 'demo' and a.id = due.id
  )
  update demo_changes d set original = null, until = null from due where d.id = due.id;

  with chosen as materialized (
    select d.id, d.original, a.status from demo_changes d
    join approvals a on a.customer_id = 'demo' and a.id = d.id
    where change order by d.until nulls first, d.id limit 1 for update of d skip locked
  ), next as materialized (
    select c.id, case when c.original is null then c.status end as original,
      case when c.original is null then now() + interval '1 minute' end as until,
      coalesce(c.original, case c.status when 'preparing' then 'testing' when 'testing' then 'submitted'
      when 'submitted' then 'in_review' when 'in_review' then 'information_requested' else 'in_review' end) as status
    from chosen c
  ), noted as (
    update demo_changes d set original = n.original, until = n.until from next n where d.id = n.id
  )
  update approvals a set status = n.status from next n where a.customer_id = 'demo' and a.id = n.id
  returning a.id, a.status, n.until
$function$


CREATE OR REPLACE FUNCTION public.change_history(target pg_snapshot)
 RETURNS TABLE(identity text, begun boolean, pruned_below text, mark text, target_mark text)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select i.identity, s.identity is not distinct from i.identity and i.mark is not null, s.pruned_below::text, i.mark, (
    select t.mark::text from change_marks t
    where t.xid < pg_snapshot_xmax(target) and pg_visible_in_snapshot(t.xid, target)
    order by t.xid desc limit 1)
  from (select change_identity() as identity, current_mark() as mark offset 0) i left join change_state s on true
$function$


CREATE OR REPLACE FUNCTION public.change_identity()
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  database text := concat_ws('.', (select oid from pg_database where datname = current_database()),
    'change_log'::regclass::oid);
begin
  return concat_ws('.', (select system_identifier from pg_control_system()),
    case when pg_is_in_recovery() then 'recovery' else left(pg_walfile_name(pg_current_wal_lsn()), 8) end,
    database);
exception when insufficient_privilege or feature_not_supported or undefined_function then
  return concat_ws('.', 'managed', case when pg_is_in_recovery() then 'recovery' end, database);
end $function$


CREATE OR REPLACE FUNCTION public.claim_webhooks(holder uuid, at timestamp with time zone, lease interval, changed text[], busy text[], most integer, with_failing boolean DEFAULT true)
 RETURNS SETOF webhooks
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with due as materialized (
    select w.customer_id, w.webhook_id from webhooks w
    join customers c on c.customer_id = w.customer_id and c.suspended_at is null and c.plan <> 'basic'
    where w.state = 'active' and ($4 is null or w.customer_id = any($4)) and ($7 or w.failing_since is null)
      and (w.held_until is null or w.held_until <= $2 or w.held_until > $2 + interval '1 minute' or w.holder = $1)
      and w.webhook_id <> all($5)
      and (w.next_attempt_at is null or w.next_attempt_at <= $2 or w.next_attempt_at > $2 + interval '2 hours')
      and (w.message_id is not null or w.day < ($2 at time zone 'UTC')::date
        or w.identity is distinct from change_identity()
        or exists (select from change_log l where l.customer_id in (w.customer_id, '*') and l.xid >= w.since
          and l.resource = any(w.resources || array['settings', '*'])))
    order by w.next_attempt_at nulls first limit $6 for update of w skip locked
  )
  update webhooks w set holder = $1, held_until = $2 + $3 from due d
  where w.customer_id = d.customer_id and w.webhook_id = d.webhook_id returning w.*
$function$


CREATE OR REPLACE FUNCTION public.collect_audit_reads(before timestamp with time zone, most integer)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with oldest as materialized (
    select minute, entry from audit_reads where minute < before
    order by minute, entry limit most for update skip locked
  ), named as materialized (
    select o.*, c.customer_id from oldest o
    left join api_keys k on o.entry ->> 'customer' is null and k.key_id = o.entry ->> 'key_id'
    left join customers c on c.customer_id = coalesce(o.entry ->> 'customer', k.customer_id)
  ), free as materialized (
    select c.customer_id from customers c
    where c.customer_id in (select n.customer_id from named n) for key share skip locked
  ), moved as (
    delete from audit_reads r using named n
    where r.minute = n.minute and r.entry = n.entry
      and (n.customer_id is null or n.customer_id in (select f.customer_id from free f))
    returning r.minute, jsonb_set(
      r.entry, '{details}', r.entry -> 'details' || jsonb_build_object('count', r.count, 'rows', r.rows)
    ) as entry
  ), listed as materialized (
    select count(*) as n, coalesce(json_agg(entry order by minute, entry), '[]') as entries from moved
  ), written as materialized (select append_audit(entries) from listed)
  select n from listed, written
$function$


CREATE OR REPLACE FUNCTION public.complete_key_rotation(customer text, key text)
 RETURNS TABLE(is_valid boolean, former text, former_expires_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  kept interval;
begin
  perform lock_key(customer, (select k.replaces from api_keys k where k.customer_id = customer and k.key_id = key));
  select k.replaces, k.overlap into former, kept from api_keys k
    where k.customer_id = customer and k.key_id = key and k.replaces is not null and k.revoked_at is null
      and coalesce(k.expires_at, 'infinity') > now()
    for no key update;
  if found then
    update api_keys k set replaces = null, overlap = null, rotated_at = now(),
        expires_at = k.created_at + k.lifetime, lifetime = null
      where k.customer_id = customer and k.key_id = key;
    update api_keys k set replaced_by = key, expires_at = least(k.expires_at, now() + kept)
      where k.customer_id = customer and k.key_id = former
      returning k.expires_at into former_expires_at;
  end if;
  is_valid := exists (select from api_keys k
    where k.customer_id = customer and k.key_id = key and k.revoked_at is null
      and coalesce(k.expires_at, 'infinity') > now());
  return next;
end $function$


CREATE OR REPLACE FUNCTION public.count_overdue_access_requests()
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select count(*) from access_requests where rejected_at is null and due_at < now()
$function$


CREATE OR REPLACE FUNCTION public.count_webhooks()
 RETURNS TABLE(failing bigint, disabled bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select count(*) filter (where state = 'active' and failing_since is not null),
    count(*) filter (where state = 'disabled' and reason <> 'operator') from webhooks
$function$


CREATE OR REPLACE FUNCTION public.countries_before()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  
  if tg_op = 'INSERT' then
    -- See docs/decisions/0160-imported-customers-keep-their-times.md.
    if current_setting('app.keeps_times', true) is distinct from 'on' then
      new.created_at := now();
      new.updated_at := now();
    end if;
    new.created_xid := pg_current_xact_id();
    return new;
  end if;
  if old.id is distinct from new.id then
    new.created_at := greatest(now(), old.updated_at);
    new.created_xid := pg_current_xact_id();
  else
    new.created_xid := old.created_xid;
    if old.created_at is distinct from new.created_at then
      new.created_at := greatest(old.created_at, former_end('*', 'countries', new.id));
    end if;
  end if;
  new.updated_at := old.updated_at;
  if not (old.id is distinct from new.id) and new.code is not distinct from old.code
    and new.alpha3 is not distinct from old.alpha3
    and new.name is not distinct from old.name
    and new.region is not distinct from old.region
    and new.blocs is not distinct from old.blocs
    and new.authorities is not distinct from old.authorities
    and new.requirements is not distinct from old.requirements
    and new.sources is not distinct from old.sources
    and new.confidence is not distinct from old.confidence
    and new.reviewed_on is not distinct from old.reviewed_on
    and new.created_at is not distinct from old.created_at then return new; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $function$


CREATE OR REPLACE FUNCTION public.countries_log_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into change_log (customer_id, resource, record_id) select '*', tg_table_name, o.id from old_rows o;
  insert into removals (customer_id, resource, changed_at)
    select '*', tg_table_name, greatest(now(), max(o.updated_at)) from old_rows o
    group by 1 on conflict do nothing;
  -- history
  insert into record_history (customer_id, resource, record_id, position, at)
    select '*', tg_table_name, o.id, coalesce(l.position + 1, 0), o.created_at
    from old_rows o left join lateral (
      select h.position, h.old = '{}' as is_mark from record_history h
      where h.customer_id = '*' and h.resource = tg_table_name and h.record_id = o.id
        and (h.old ? 'created_at' or h.old = '{}')
      order by h.position desc limit 1) l on true
    where l.is_mark is not true and true;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    select '*', tg_table_name, o.id, greatest(now(), o.updated_at), o.updated_at,
      to_jsonb(o) - array(select attname::text from pg_attribute
        where attrelid = tg_relid and attname::text <> all (tg_argv))
    from old_rows o where true;
  -- end
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.countries_log_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare late record;
begin
  insert into change_log (customer_id, resource, record_id) select '*', tg_table_name, r.id from new_rows r;
  -- history
  for late in select '*' as owner, r.id from new_rows r cross join lateral (select h.at from record_history h
    where h.customer_id = '*' and h.resource = tg_table_name and h.record_id = r.id and h.old ? 'created_at'
    order by h.position desc limit 1) l
    where l.at > r.created_at loop
    execute format('update %I set created_at = ''infinity'' where id = $2', tg_table_name) using late.owner, late.id;
  end loop;
  -- end
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.countries_log_moved()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into change_log (customer_id, resource, record_id)
    values ('*', tg_table_name, old.id), ('*', tg_table_name, new.id);
  insert into removals (customer_id, resource, changed_at)
    select '*', tg_table_name, greatest(now(), max(o.updated_at)) from (select old.*) o
    group by 1 on conflict do nothing;
  -- history
  insert into record_history (customer_id, resource, record_id, position, at)
    select '*', tg_table_name, o.id, coalesce(l.position + 1, 0), o.created_at
    from (select old.*) o left join lateral (
      select h.position, h.old = '{}' as is_mark from record_history h
      where h.customer_id = '*' and h.resource = tg_table_name and h.record_id = o.id
        and (h.old ? 'created_at' or h.old = '{}')
      order by h.position desc limit 1) l on true
    where l.is_mark is not true and true;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    select '*', tg_table_name, o.id, greatest(now(), o.updated_at), o.updated_at,
      to_jsonb(o) - array(select attname::text from pg_attribute
        where attrelid = tg_relid and attname::text <> all (tg_argv))
    from (select old.*) o where true;
  -- end
  -- history
  if former_end('*', tg_table_name, new.id) > new.created_at then
    execute format('update %I set created_at = ''infinity'' where id = $2', tg_table_name)
      using '*', new.id;
  end if;
  -- end
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.countries_log_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare former text;
begin
  if old.id is distinct from new.id or (new.code is not distinct from old.code
    and new.alpha3 is not distinct from old.alpha3
    and new.name is not distinct from old.name
    and new.region is not distinct from old.region
    and new.blocs is not distinct from old.blocs
    and new.authorities is not distinct from old.authorities
    and new.requirements is not distinct from old.requirements
    and new.sources is not distinct from old.sources
    and new.confidence is not distinct from old.confidence
    and new.reviewed_on is not distinct from old.reviewed_on
    and new.created_at is not distinct from old.created_at) then return null; end if;
  insert into change_log (customer_id, resource, record_id) values ('*', 'countries', new.id);
  -- history
  former := concat_ws(',',
    case when old.code is distinct from new.code then '"code":' || coalesce(to_json(old.code)::text, 'null') end,
    case when old.alpha3 is distinct from new.alpha3 then '"alpha3":' || coalesce(to_json(old.alpha3)::text, 'null') end,
    case when old.name is distinct from new.name then '"name":' || coalesce(to_json(old.name)::text, 'null') end,
    case when old.region is distinct from new.region then '"region":' || coalesce(to_json(old.region)::text, 'null') end,
    case when old.blocs is distinct from new.blocs then '"blocs":' || coalesce(to_json(old.blocs)::text, 'null') end,
    case when old.authorities is distinct from new.authorities then '"authorities":' || coalesce(to_json(old.authorities)::text, 'null') end,
    case when old.requirements is distinct from new.requirements then '"requirements":' || coalesce(to_json(old.requirements)::text, 'null') end,
    case when old.sources is distinct from new.sources then '"sources":' || coalesce(to_json(old.sources)::text, 'null') end,
    case when old.confidence is distinct from new.confidence then '"confidence":' || coalesce(to_json(old.confidence)::text, 'null') end,
    case when old.reviewed_on is distinct from new.reviewed_on then '"reviewed_on":' || coalesce(to_json(old.reviewed_on)::text, 'null') end);
  if former <> '' then
    insert into record_history (customer_id, resource, record_id, at, since, old)
      values ('*', 'countries', new.id, new.updated_at, old.updated_at, ('{' || former || '}')::jsonb);
  end if;
  -- end
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.countries_words_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from record_words w using old_rows r
  where w.customer_id = '*' and w.resource = tg_table_name and w.id = r.id;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.countries_words_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into record_words (customer_id, resource, id, words)
    select '*', 'countries', r.id, words_vector(array(
    select 'countries/' || '*' || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', r.code, r.alpha3, r.name,
      (select string_agg(concat_ws(' ', a.name, a.abbreviation), ' ') from unnest(r.authorities) a)))) word
    where length(word) > 1)) from new_rows r;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.countries_words_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not (old.id is distinct from new.id or old.alpha3 is distinct from new.alpha3 or old.authorities is distinct from new.authorities or old.code is distinct from new.code or old.name is distinct from new.name) then return null; end if;
  update record_words w set customer_id = '*', id = new.id, words = words_vector(array(
    select 'countries/' || '*' || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', new.code, new.alpha3, new.name,
      (select string_agg(concat_ws(' ', a.name, a.abbreviation), ' ') from unnest(new.authorities) a)))) word
    where length(word) > 1))
  where w.customer_id = '*' and w.resource = 'countries' and w.id = old.id;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.cover_signing_key(wanted text, until timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  update signing_keys set tokens_until = least(until, now() + interval '2 days')
    where kid in (select kid from list_signing_keys() where kid = wanted)
      and coalesce(tokens_until, '-infinity') < least(until, now() + interval '2 days');
  select exists (select from list_signing_keys() where kid = wanted)
$function$


CREATE OR REPLACE FUNCTION public.current_mark()
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  return (select case when m.server_started_at = pg_postmaster_start_time() then m.mark end
    from change_marks m order by m.xid desc limit 1);
end $function$


CREATE OR REPLACE FUNCTION public.customers_history_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from record_history where customer_id = old.customer_id;
  delete from history_begun where customer_id = old.customer_id;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.customers_log_settings()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into change_log (customer_id, resource, record_id) values (new.customer_id, 'settings', '*');
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.date_demo_history(starts timestamp with time zone[], times timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  kind text;
  trigger_name name;
begin
  update record_history h set at = coalesce(times[width_bucket(h.at, starts)], h.at),
    since = coalesce(times[width_bucket(h.since, starts)], h.since),
    old = case when h.old ? 'created_at' then h.old || jsonb_build_object('created_at',
      coalesce(times[width_bucket((h.old ->> 'created_at')::timestamptz, starts)], (h.old ->> 'created_at')::timestamptz))
      else h.old end
    where h.customer_id = 'demo';
  for kind in select b.resource from history_begun b join pg_attribute a on a.attrelid = b.resource::regclass
    where b.customer_id = '*' and a.attname = 'customer_id' loop
    execute format('alter table %I disable trigger user', kind);
    execute format('with dated as (
        update %I set created_at = coalesce($2[width_bucket(created_at, $1)], created_at),
          updated_at = coalesce($2[width_bucket(updated_at, $1)], updated_at)
        where customer_id = ''demo'' returning id)
      insert into change_log (customer_id, resource, record_id) select ''demo'', %L, id from dated', kind, kind)
      using starts, times;
    for trigger_name in select tgname from pg_trigger where tgrelid = kind::regclass and not tgisinternal loop
      execute format('alter table %I enable always trigger %I', kind, trigger_name);
    end loop;
  end loop;
  insert into history_begun (customer_id, resource, since)
    select 'demo', b.resource, times[1] from history_begun b where b.customer_id = '*'
    on conflict (customer_id, resource) do update set since = excluded.since;
  insert into change_log (customer_id, resource, record_id) values ('demo', 'history', '*');
end $function$


CREATE OR REPLACE FUNCTION public.delete_old_access_requests(kept_days integer)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with undecided_or_rejected as (
    delete from access_requests
    where coalesce(rejected_at, created_at) < now() - make_interval(days => greatest(kept_days, 1))
    returning 1
  ), approved as (
    delete from approved_requests
    where approved_at < now() - make_interval(days => greatest(kept_days, 1))
    returning 1
  )
  select (select count(*) from undecided_or_rejected) + (select count(*) from approved)
$function$


CREATE OR REPLACE FUNCTION public.delete_old_usage(kept_days integer)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  delete from usage_days where day <= (now() at time zone 'UTC')::date - kept_days;
  delete from usage_writers where written_at < now() - make_interval(days => kept_days)
$function$


CREATE OR REPLACE FUNCTION public.distrust_resources(names text[], incomplete boolean)
 RETURNS TABLE(resource text, history_from timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  begun text[];
begin
  with added as (
    insert into distrusted_resources (resource, history_from)
      select distinct n, b.since from unnest(names) n
      left join history_begun b on b.resource = n and b.customer_id = '*'
      where b.resource is not null or n in ('settings', 'custom', 'history')
      order by n on conflict do nothing returning resource
  ) select array_agg(a.resource) into begun from added a;
  update distrusted_resources set is_incomplete = true where incomplete and not is_incomplete;
  insert into change_log (customer_id, resource, record_id) select '*', n, '*' from unnest(begun) n;
  update history_begun set since = now() where resource = any(begun);
  return query select d.resource, d.history_from from distrusted_resources d
    where d.resource = any(names) order by d.resource;
end $function$


CREATE OR REPLACE FUNCTION public.end_distrust()
 RETURNS TABLE(resource text, history_from timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  ended distrusted_resources[];
begin
  with removed as (delete from distrusted_resources returning distrusted_resources)
    select array_agg(r.distrusted_resources) into ended from removed r;
  if ended is null then return; end if;
  insert into change_log (customer_id, resource, record_id)
    select '*', e.resource, '*' from unnest(ended) e where e.is_incomplete
    union all select '*', '*', '*';
  update history_begun set since = now()
    where resource in (select e.resource from unnest(ended) e where e.is_incomplete);
  return query select e.resource, e.history_from from unnest(ended) e order by e.resource;
end $function$


CREATE OR REPLACE FUNCTION public.find_api_key(wanted text)
 RETURNS TABLE(customer_id text, key_id text, secret_sha256 bytea, scopes text[], expires_at timestamp with time zone, revoked_at timestamp with time zone, last_used_on date, plan text, suspended_at timestamp with time zone, expiring_within integer, networks text[], client_jwks text, name text, is_pending boolean, replaced_by text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select k.customer_id, k.key_id, k.secret_sha256, k.scopes, k.expires_at, k.revoked_at, k.last_used_on,
    c.plan, c.suspended_at, c.expiring_within, k.networks::text[], k.client_jwks::text, k.name,
    k.replaces is not null, k.replaced_by
  from api_keys k join customers c on c.customer_id = k.customer_id
  where k.key_id = wanted
$function$


CREATE OR REPLACE FUNCTION public.find_by_words(owner text, wanted_resource text, wanted text[], most integer)
 RETURNS SETOF text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
begin
  if owner is distinct from '*' and owner is distinct from nullif(current_setting('app.customer_id', true), '') then
    return;
  end if;
  return query select w.id from record_words w where w.words @@ words_query(owner, wanted_resource, wanted) limit most;
end $function$


CREATE OR REPLACE FUNCTION public.find_custom_endpoints(wanted text)
 RETURNS TABLE(name text, revision integer, document text, superseded_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select d.name, d.revision, d.document, d.superseded_at
  from custom_endpoints e
  join custom_documents d on d.name = e.name
  left join custom_grants g on g.customer_id = wanted and g.name = e.name
  where coalesce(g.granted, e.to_everyone)
    and (d.superseded_at is null or d.superseded_at > now() - interval '31 days')
$function$


CREATE OR REPLACE FUNCTION public.find_customer(wanted text)
 RETURNS TABLE(customer_id text, plan text, suspended_at timestamp with time zone, expiring_within integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  return query select c.customer_id, c.plan, c.suspended_at, c.expiring_within
    from customers c where c.customer_id = wanted;
end
$function$


CREATE OR REPLACE FUNCTION public.find_customer_since(wanted text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select c.created_at from customers c where c.customer_id = wanted
$function$


CREATE OR REPLACE FUNCTION public.first_service_minute()
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select extract(epoch from min(minute))::bigint / 60 from service_minutes
$function$


CREATE OR REPLACE FUNCTION public.fold_words(value text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if octet_length(value) = length(value) then
    return regexp_split_to_array(lower(value collate "C"), '[^a-z0-9]+');
  end if;
  return regexp_split_to_array(replace(replace(replace(replace(translate(lower(regexp_replace(normalize(value, NFKD) collate "C", E'[\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05bd\\u05bf\\u05c1-\\u05c2\\u05c4-\\u05c5\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20f0\\ufe20-\\ufe2f]+', '', 'g')
    collate "und-x-icu"), 'ςıłøđðħŧ', 'σiloddht'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') collate "C",
    E'[^a-z0-9\\u00c6-\\u00d0\\u00d8-\\u00f0\\u00f8-\\u02c1\\u02c6-\\u02d1\\u02ec\\u02ee\\u0300-\\u0373\\u0376-\\u03f3\\u03f7-\\u0481\\u0483-\\u0559\\u0560-\\u0588\\u0591-\\u05bd\\u05bf\\u05c1-\\u05c2\\u05c4-\\u05c5\\u05c7-\\u05f2\\u0610-\\u061a\\u0620-\\u0669\\u066e-\\u06d2\\u06d5-\\u06dc\\u06df-\\u06e8\\u06ea-\\u06fc\\u06ff\\u0710-\\u07f5\\u07fa-\\u07fd\\u0800-\\u082d\\u0840-\\u085b\\u0860-\\u0887\\u0889-\\u088f\\u0897-\\u08e1\\u08e3-\\u0963\\u0966-\\u096f\\u0971-\\u09f1\\u09fc\\u09fe-\\u0a75\\u0a81-\\u0aef\\u0af9-\\u0b6f\\u0b71\\u0b82-\\u0bef\\u0c00-\\u0c6f\\u0c80-\\u0c83\\u0c85-\\u0d4e\\u0d54-\\u0d57\\u0d5f-\\u0d6f\\u0d7a-\\u0df3\\u0e01-\\u0e3a\\u0e40-\\u0e4e\\u0e50-\\u0e59\\u0e81-\\u0f00\\u0f18-\\u0f19\\u0f20-\\u0f29\\u0f35\\u0f37\\u0f39\\u0f3e-\\u0f84\\u0f86-\\u0fbc\\u0fc6\\u1000-\\u1049\\u1050-\\u109d\\u10a0-\\u10fa\\u10fd-\\u135f\\u1380-\\u138f\\u13a0-\\u13fd\\u1401-\\u166c\\u166f-\\u167f\\u1681-\\u169a\\u16a0-\\u16ea\\u16f1-\\u1734\\u1740-\\u17d3\\u17d7\\u17dc-\\u17e9\\u180b-\\u180d\\u180f-\\u193b\\u1946-\\u19d9\\u1a00-\\u1a1b\\u1a20-\\u1a99\\u1aa7\\u1ab0-\\u1b4c\\u1b50-\\u1b59\\u1b6b-\\u1b73\\u1b80-\\u1bf3\\u1c00-\\u1c37\\u1c40-\\u1c7d\\u1c80-\\u1cbf\\u1cd0-\\u1cd2\\u1cd4-\\u1eff\\u20d0-\\u20f0\\u2132\\u214e\\u2183-\\u2184\\u2c00-\\u2ce4\\u2ceb-\\u2cf3\\u2d00-\\u2d67\\u2d7f-\\u2dff\\u2e2f\\u3005-\\u3006\\u302a-\\u302f\\u3031-\\u3035\\u303b-\\u303c\\u3041-\\u309d\\u30a1-\\u30f6\\u30fc-\\u312f\\u31a0-\\u31bf\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\ua48c\\ua4d0-\\ua4fd\\ua500-\\ua60c\\ua610-\\ua672\\ua674-\\ua67d\\ua67f-\\ua6e5\\ua6f0-\\ua6f1\\ua717-\\ua71f\\ua722-\\ua788\\ua78b-\\ua827\\ua82c\\ua840-\\ua873\\ua880-\\ua8c5\\ua8d0-\\ua8f7\\ua8fb\\ua8fd-\\ua92d\\ua930-\\ua953\\ua960-\\ua9c0\\ua9cf-\\ua9d9\\ua9e0-\\uaa59\\uaa60-\\uaa76\\uaa7a-\\uaadd\\uaae0-\\uaaef\\uaaf2-\\uab5a\\uab60-\\uab68\\uab70-\\uabea\\uabec-\\ud7fb\\ufa0e-\\ufb1e\\ufe00-\\ufe2f\\ufe73\U00010000-\U000100fa\U000101fd-\U000102e0\U00010300-\U0001031f\U0001032d-\U00010340\U00010342-\U00010349\U00010350-\U0001039d\U000103a0-\U000103cf\U00010400-\U00010563\U00010570-\U00010855\U00010860-\U00010876\U00010880-\U0001089e\U000108e0-\U000108f5\U00010900-\U00010915\U00010920-\U00010939\U00010940-\U000109b7\U000109be-\U000109bf\U00010a00-\U00010a3f\U00010a60-\U00010a7c\U00010a80-\U00010a9c\U00010ac0-\U00010ac7\U00010ac9-\U00010ae6\U00010b00-\U00010b35\U00010b40-\U00010b55\U00010b60-\U00010b72\U00010b80-\U00010b91\U00010c00-\U00010cf2\U00010d00-\U00010d6d\U00010d6f-\U00010d85\U00010e80-\U00010eac\U00010eb0-\U00010ec7\U00010efa-\U00010f1c\U00010f27-\U00010f50\U00010f70-\U00010f85\U00010fb0-\U00010fc4\U00010fe0-\U00011046\U00011066-\U000110ba\U000110c2\U000110d0-\U0001113f\U00011144-\U00011173\U00011176-\U000111c4\U000111c9-\U000111cc\U000111ce-\U000111da\U000111dc\U00011200-\U00011237\U0001123e-\U000112a8\U000112b0-\U000113d3\U000113e1-\U0001144a\U00011450-\U00011459\U0001145e-\U000114c5\U000114c7-\U000115c0\U000115d8-\U00011640\U00011644-\U00011659\U00011680-\U000116b8\U000116c0-\U00011739\U00011740-\U0001183a\U000118a0-\U000118e9\U000118ff-\U00011943\U00011950-\U000119e1\U000119e3-\U00011a3e\U00011a47-\U00011a99\U00011a9d\U00011ab0-\U00011af8\U00011b60-\U00011be0\U00011bf0-\U00011c40\U00011c50-\U00011c59\U00011c72-\U00011ef6\U00011f00-\U00011f42\U00011f50-\U00011fb0\U00012000-\U00012399\U00012480-\U00012ff0\U00013000-\U0001342f\U00013440-\U00016a69\U00016a70-\U00016af4\U00016b00-\U00016b36\U00016b40-\U00016b43\U00016b50-\U00016b59\U00016b63-\U00016d6c\U00016d70-\U00016e7f\U00016ea0-\U00016fe1\U00016fe3-\U00016ff3\U00017000-\U0001bc99\U0001bc9d-\U0001bc9e\U0001cf00-\U0001cf46\U0001d165-\U0001d169\U0001d16d-\U0001d172\U0001d17b-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244\U0001da00-\U0001da36\U0001da3b-\U0001da6c\U0001da75\U0001da84\U0001da9b-\U0001e14e\U0001e290-\U0001e2f9\U0001e4d0-\U0001e5fa\U0001e6c0-\U0001e8c4\U0001e8d0-\U0001e959\U00020000-\U00033479\U000e0100-\U000e01ef]+');
end $function$


CREATE OR REPLACE FUNCTION public.follow_predecessor()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if new.replaced_by is not null or new.revoked_at is not null and old.revoked_at is null
      and current_setting('app.keep_successors', true) is distinct from 'true' then
    delete from api_keys where customer_id = new.customer_id and replaces = new.key_id and revoked_at is null;
    delete from key_links where customer_id = new.customer_id and replaces = new.key_id;
  else
    update api_keys set networks = new.networks, scopes = new.scopes
      where customer_id = new.customer_id and replaces = new.key_id;
    update key_links set networks = new.networks, scopes = new.scopes
      where customer_id = new.customer_id and replaces = new.key_id;
  end if;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.former_end(owner text, of_resource text, id text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  return (select h.at from record_history h
    where h.customer_id = owner and h.resource = of_resource and h.record_id = id and h.old ? 'created_at'
    order by h.position desc limit 1);
end $function$


CREATE OR REPLACE FUNCTION public.has_revoked_tokens(customer text, key text)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select exists (select from revoked_tokens r where r.customer_id = customer and r.key_id = key
    and r.expires_at > now() - interval '1 minute')
$function$


CREATE OR REPLACE FUNCTION public.history_floor()
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  return (select s.history_floor from change_state s);
end $function$


CREATE OR REPLACE FUNCTION public.is_list(list text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (array_ndims(list) > 1) THEN false ELSE ((COALESCE(array_lower(list, 1), 1) = 1) AND (array_position(list, NULL::text) IS NULL)) END


CREATE OR REPLACE FUNCTION public.is_token_revoked(customer text, key text, token text)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select exists (select from revoked_tokens r
    where r.customer_id = customer and r.key_id = key and r.jti = token)
$function$


CREATE OR REPLACE FUNCTION public.lab_before()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.issued_on_sort := coalesce(new.issued_on, 'infinity');
  if tg_op = 'INSERT' then
    -- See docs/decisions/0160-imported-customers-keep-their-times.md.
    if current_setting('app.keeps_times', true) is distinct from 'on' then
      new.created_at := now();
      new.updated_at := now();
    end if;
    new.created_xid := pg_current_xact_id();
    return new;
  end if;
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id then
    new.created_at := greatest(now(), old.updated_at);
    new.created_xid := pg_current_xact_id();
  else
    new.created_xid := old.created_xid;
    if old.created_at is distinct from new.created_at then
      new.created_at := greatest(old.created_at, former_end(new.customer_id, 'lab', new.id));
    end if;
  end if;
  new.updated_at := old.updated_at;
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id) and new.report_number is not distinct from old.report_number
    and new.title is not distinct from old.title
    and new.test_type is not distinct from old.test_type
    and new.standards is not distinct from old.standards
    and new.status is not distinct from old.status
    and new.result is not distinct from old.result
    and new.laboratory is not distinct from old.laboratory
    and new.laboratory_country_code is not distinct from old.laboratory_country_code
    and new.product_id is not distinct from old.product_id
    and new.project_id is not distinct from old.project_id
    and new.certificate_id is not distinct from old.certificate_id
    and new.supersedes_id is not distinct from old.supersedes_id
    and new.tested_from is not distinct from old.tested_from
    and new.tested_until is not distinct from old.tested_until
    and new.issued_on is not distinct from old.issued_on
    and new.revision is not distinct from old.revision
    and new.document_url is not distinct from old.document_url
    and new.tags is not distinct from old.tags
    and new.created_at is not distinct from old.created_at then return new; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $function$


CREATE OR REPLACE FUNCTION public.lab_elements_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from elements e using (
    select distinct r.customer_id, f.name, v as value, r.id
    from old_rows r cross join lateral (values ('standards', r.standards), ('tags', r.tags)) f (name, list) cross join unnest(f.list) v) g
    where e.customer_id = g.customer_id and e.resource = 'lab' and e.field = g.name and e.value = g.value
      and e.id = g.id;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.lab_elements_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into elements (customer_id, resource, field, value, id)
    select distinct r.customer_id, 'lab', f.name, v, r.id
    from new_rows r cross join lateral (values ('standards', r.standards), ('tags', r.tags)) f (name, list) cross join unnest(f.list) v
    on conflict do nothing;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.lab_elements_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or old.standards is distinct from new.standards or old.tags is distinct from new.tags) then return null; end if;
  delete from elements e using (
    select old.customer_id, f.name, v as value, old.id from (values ('standards', old.standards), ('tags', old.tags)) f (name, list), unnest(f.list) v
    except
    select new.customer_id, f.name, v, new.id from (values ('standards', new.standards), ('tags', new.tags)) f (name, list), unnest(f.list) v) g
    where e.customer_id = g.customer_id and e.resource = 'lab' and e.field = g.name and e.value = g.value
      and e.id = g.id;
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'lab', n.name, n.value, n.id from (
      select new.customer_id, f.name, v as value, new.id from (values ('standards', new.standards), ('tags', new.tags)) f (name, list), unnest(f.list) v
      except
      select old.customer_id, f.name, v, old.id from (values ('standards', old.standards), ('tags', old.tags)) f (name, list), unnest(f.list) v) n
    on conflict do nothing;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.lab_log_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare former text;
begin
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or (new.report_number is not distinct from old.report_number
    and new.title is not distinct from old.title
    and new.test_type is not distinct from old.test_type
    and new.standards is not distinct from old.standards
    and new.status is not distinct from old.status
    and new.result is not distinct from old.result
    and new.laboratory is not distinct from old.laboratory
    and new.laboratory_country_code is not distinct from old.laboratory_country_code
    and new.product_id is not distinct from old.product_id
    and new.project_id is not distinct from old.project_id
    and new.certificate_id is not distinct from old.certificate_id
    and new.supersedes_id is not distinct from old.supersedes_id
    and new.tested_from is not distinct from old.tested_from
    and new.tested_until is not distinct from old.tested_until
    and new.issued_on is not distinct from old.issued_on
    and new.revision is not distinct from old.revision
    and new.document_url is not distinct from old.document_url
    and new.tags is not distinct from old.tags
    and new.created_at is not distinct from old.created_at) then return null; end if;
  insert into change_log (customer_id, resource, record_id) values (new.customer_id, 'lab', new.id);
  -- history
  former := concat_ws(',',
    case when old.report_number is distinct from new.report_number then '"report_number":' || coalesce(to_json(old.report_number)::text, 'null') end,
    case when old.title is distinct from new.title then '"title":' || coalesce(to_json(old.title)::text, 'null') end,
    case when old.test_type is distinct from new.test_type then '"test_type":' || coalesce(to_json(old.test_type)::text, 'null') end,
    case when old.standards is distinct from new.standards then '"standards":' || coalesce(to_json(old.standards)::text, 'null') end,
    case when old.status is distinct from new.status then '"status":' || coalesce(to_json(old.status)::text, 'null') end,
    case when old.result is distinct from new.result then '"result":' || coalesce(to_json(old.result)::text, 'null') end,
    case when old.laboratory is distinct from new.laboratory then '"laboratory":' || coalesce(to_json(old.laboratory)::text, 'null') end,
    case when old.laboratory_country_code is distinct from new.laboratory_country_code then '"laboratory_country_code":' || coalesce(to_json(old.laboratory_country_code)::text, 'null') end,
    case when old.product_id is distinct from new.product_id then '"product_id":' || coalesce(to_json(old.product_id)::text, 'null') end,
    case when old.project_id is distinct from new.project_id then '"project_id":' || coalesce(to_json(old.project_id)::text, 'null') end,
    case when old.certificate_id is distinct from new.certificate_id then '"certificate_id":' || coalesce(to_json(old.certificate_id)::text, 'null') end,
    case when old.supersedes_id is distinct from new.supersedes_id then '"supersedes_id":' || coalesce(to_json(old.supersedes_id)::text, 'null') end,
    case when old.tested_from is distinct from new.tested_from then '"tested_from":' || coalesce(to_json(old.tested_from)::text, 'null') end,
    case when old.tested_until is distinct from new.tested_until then '"tested_until":' || coalesce(to_json(old.tested_until)::text, 'null') end,
    case when old.issued_on is distinct from new.issued_on then '"issued_on":' || coalesce(to_json(old.issued_on)::text, 'null') end,
    case when old.revision is distinct from new.revision then '"revision":' || coalesce(to_json(old.revision)::text, 'null') end,
    case when old.document_url is distinct from new.document_url then '"document_url":' || coalesce(to_json(old.document_url)::text, 'null') end,
    case when old.tags is distinct from new.tags then '"tags":' || coalesce(to_json(old.tags)::text, 'null') end);
  if former <> '' then
    insert into record_history (customer_id, resource, record_id, at, since, old)
      values (new.customer_id, 'lab', new.id, new.updated_at, old.updated_at, ('{' || former || '}')::jsonb);
  end if;
  -- end
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.lab_words_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into record_words (customer_id, resource, id, words)
    select r.customer_id, 'lab', r.id, words_vector(array(
    select 'lab/' || r.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', r.report_number, r.title, r.laboratory))) word
    where length(word) > 1)) from new_rows r;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.lab_words_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or old.laboratory is distinct from new.laboratory or old.report_number is distinct from new.report_number or old.title is distinct from new.title) then return null; end if;
  update record_words w set customer_id = new.customer_id, id = new.id, words = words_vector(array(
    select 'lab/' || new.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', new.report_number, new.title, new.laboratory))) word
    where length(word) > 1))
  where w.customer_id = old.customer_id and w.resource = 'lab' and w.id = old.id;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.list_account_keys(customer text, own text, most integer)
 RETURNS TABLE(key_id text, name text, state text, scopes text[], networks text[], created_at timestamp with time zone, last_used_on date, expires_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select k.key_id, k.name,
    case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired'
      when k.replaced_by is not null then 'replaced' when k.replaces is not null then 'pending' else 'active' end,
    k.scopes,
    case when k.key_id = own then coalesce(k.networks::text[], array['0.0.0.0/0', '::/0']) end,
    k.created_at, k.last_used_on, k.expires_at
  from api_keys k
  where k.customer_id = customer and k.customer_id = nullif(current_setting('app.customer_id', true), '')
  order by k.created_at desc, k.key_id limit most
$function$


CREATE OR REPLACE FUNCTION public.list_api_key_ids(customers text[], most integer)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select coalesce(string_agg(k.key_id, ' '), '') from (
    select key_id from api_keys where customers is null or customer_id = any (customers) limit most) k
$function$


CREATE OR REPLACE FUNCTION public.list_signing_keys()
 RETURNS TABLE(kid text, state text, public_jwk jsonb, encrypted_private_key bytea)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select s.kid, s.state, s.public_jwk, s.encrypted_private_key from signing_keys s
  where s.state <> 'retiring' or coalesce(s.tokens_until, 'infinity') > now() - interval '1 minute'
  order by s.created_at, s.kid
$function$


CREATE OR REPLACE FUNCTION public.list_unsealed_audit(most integer)
 RETURNS TABLE(entry_id bigint, at text, actor text, customer_ref uuid, action text, outcome text, request_id text, personal_sha256 bytea)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select e.entry_id, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), e.actor,
    e.customer_ref, e.action, e.outcome, e.request_id,
    sha256(p.salt || convert_to(p.personal::text, 'UTF8'))
  from audit_pending q
  join audit_entries e on e.entry_id = q.entry_id
  left join audit_persons p on p.entry_id = q.entry_id
  order by q.entry_id limit most
$function$


CREATE OR REPLACE FUNCTION public.lock_key(customer text, key text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select from customers c where c.customer_id = customer for key share;
  select from api_keys k where k.customer_id = customer and k.key_id = key for no key update
$function$


CREATE OR REPLACE FUNCTION public.log_custom()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into change_log (customer_id, resource, record_id)
    select distinct coalesce(r ->> 'customer_id', '*'), 'custom', r ->> 'name'
    from unnest(array[to_jsonb(old), to_jsonb(new)]) r
    where to_jsonb(old) is distinct from to_jsonb(new) and r is not null;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.log_records_truncate()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into change_log (customer_id, resource, record_id) values ('*', tg_table_name, '*');
  insert into removals (customer_id, resource, changed_at) values ('*', tg_table_name, now()) on conflict do nothing;
  delete from record_history where resource = tg_table_name;
  update history_begun set since = now() where resource = tg_table_name;
  delete from record_words where resource = tg_table_name;
  delete from elements where resource = tg_table_name;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.log_rights()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into change_log (customer_id, resource, record_id)
    select distinct r ->> 'customer_id', 'auth', coalesce(r ->> 'key_id', '*')
    from unnest(array[to_jsonb(old), to_jsonb(new)]) r
    where to_jsonb(old) - 'last_used_on' is distinct from to_jsonb(new) - 'last_used_on' and r is not null;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.log_truncate()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into change_log (customer_id, resource, record_id) values ('*', tg_argv[0], '*');
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.log_webhook_delivery(customer text, webhook text, delivery json)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  insert into webhook_deliveries (customer_id, webhook_id, at, message_id, result)
  select $1, $2, d.at, d.message_id, d.result from json_populate_record(null::webhook_deliveries, $3) d;
  delete from webhook_deliveries where customer_id = $1 and webhook_id = $2 and attempt_id <= (
    select attempt_id from webhook_deliveries where customer_id = $1 and webhook_id = $2
    order by attempt_id desc offset 20 limit 1);
$function$


CREATE OR REPLACE FUNCTION public.mark_api_key_used(wanted text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  update api_keys set last_used_on = (now() at time zone 'UTC')::date
  where key_id = wanted and last_used_on is distinct from (now() at time zone 'UTC')::date
$function$


CREATE OR REPLACE FUNCTION public.mark_changes(younger_than interval)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if coalesce((select m.server_started_at = pg_postmaster_start_time()
      and (younger_than is null or m.marked_at > now() - younger_than)
    from change_marks m order by m.xid desc limit 1), false) then return; end if;
  insert into change_marks default values;
  delete from change_marks where xid < (
    select m.xid from change_marks m cross join change_state s
    where m.xid < s.pruned_below order by m.xid desc limit 1);
end $function$


aggregate merge_objects(jsonb) function jsonb_concat state jsonb start {} parallel u

CREATE OR REPLACE FUNCTION public.newest_mark()
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  return (select m.mark from change_marks m order by m.xid desc limit 1);
end $function$


CREATE OR REPLACE FUNCTION public.poll_changes(since text, most integer)
 RETURNS TABLE(snapshot text, at text, identity text, started text, recovering boolean, events text, found integer, distrusted text[])
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with recursive seen as (
    select pg_current_snapshot() as snapshot
  ), spans as (
    select x as low, x as high from pg_snapshot_xip(since::pg_snapshot) x
    union all
    select pg_snapshot_xmax(since::pg_snapshot), pg_snapshot_xmax(seen.snapshot) from seen
  ), walk as (
    select first.*, spans.high from spans cross join lateral (
      select c.xid, c.customer_id, c.resource from change_log c
      where c.xid >= spans.low and c.xid <= spans.high
      order by c.xid, c.customer_id, c.resource limit 1) first
    union all
    select next.*, walk.high from walk cross join lateral (
      select c.xid, c.customer_id, c.resource from change_log c
      where (c.xid, c.customer_id, c.resource) > (walk.xid, walk.customer_id, walk.resource)
        and c.xid <= walk.high
      order by c.xid, c.customer_id, c.resource limit 1) next
  ), bounded as (
    select w.xid, w.customer_id, w.resource from walk w limit most + 1
  )
  select seen.snapshot::text,
    to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    change_identity(), extract(epoch from pg_postmaster_start_time())::text, pg_is_in_recovery(),
    (select string_agg(concat_ws(' ', b.xid, b.customer_id, b.resource), ',') from bounded b),
    (select count(*)::integer from bounded),
    array(select d.resource from distrusted_resources d)
  from seen
$function$


CREATE OR REPLACE FUNCTION public.prepare_audit_seals(most integer)
 RETURNS TABLE(entry_id bigint, at text, actor text, customer_ref uuid, action text, outcome text, request_id text, personal_sha256 bytea, number bigint)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with oldest as materialized (
    select q.entry_id, p.customer, c.customer_id is not null as is_there from audit_pending q
    left join audit_persons p on p.entry_id = q.entry_id
    left join customers c on c.customer_id = p.customer
    order by q.entry_id limit 10 * most
  ), known as materialized (
    select c.customer_id, c.audit_ref from customers c
    where c.customer_id in (select o.customer from oldest o) for key share skip locked
  ), due as materialized (
    select e.*, p.salt, p.personal, p.customer from oldest o
    join audit_entries e on e.entry_id = o.entry_id
    left join audit_persons p on p.entry_id = o.entry_id
    where not o.is_there or o.customer in (select k.customer_id from known k)
    order by o.entry_id limit most
  ), counted as (
    insert into audit_numbers as n (customer_id, last)
    select k.customer_id, count(*) from due d
    join known k on k.customer_id = d.customer and k.audit_ref = d.customer_ref
    group by 1 order by 1
    on conflict (customer_id) do update set last = n.last + excluded.last
    returning n.customer_id, n.last
  ), numbered as (
    select d.*, c.customer_id, c.last - count(*) over customers
      + row_number() over (partition by c.customer_id order by d.entry_id) as number
    from due d
    left join known k on k.customer_id = d.customer and k.audit_ref = d.customer_ref
    left join counted c on c.customer_id = k.customer_id
    window customers as (partition by c.customer_id)
  ), copied as (
    insert into audit_copies (customer_id, number, entry_id, at, action, outcome, key_id, entry)
    select n.customer_id, n.number, n.entry_id, n.at, n.action, n.outcome, n.personal ->> 'key', row_to_json(shown)
    from numbered n
    cross join lateral (
      select n.action, n.actor, to_char(n.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
        n.personal -> 'client' as client, n.personal -> 'customer' as customer, n.personal -> 'details' as details,
        n.personal -> 'key' as key, n.number, n.outcome, n.request_id, n.personal -> 'subject' as subject
    ) shown
    where n.customer_id is not null
  )
  select n.entry_id, to_char(n.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), n.actor, n.customer_ref,
    n.action, n.outcome, n.request_id, sha256(n.salt || convert_to(n.personal::text, 'UTF8')), n.number
  from numbered n order by n.entry_id
$function$


CREATE OR REPLACE FUNCTION public.products_before()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.model_sort := coalesce('v' || new.model, 'w');
  if tg_op = 'INSERT' then
    -- See docs/decisions/0160-imported-customers-keep-their-times.md.
    if current_setting('app.keeps_times', true) is distinct from 'on' then
      new.created_at := now();
      new.updated_at := now();
    end if;
    new.created_xid := pg_current_xact_id();
    return new;
  end if;
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id then
    new.created_at := greatest(now(), old.updated_at);
    new.created_xid := pg_current_xact_id();
  else
    new.created_xid := old.created_xid;
    if old.created_at is distinct from new.created_at then
      new.created_at := greatest(old.created_at, former_end(new.customer_id, 'products', new.id));
    end if;
  end if;
  new.updated_at := old.updated_at;
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id) and new.name is not distinct from old.name
    and new.part_numbers is not distinct from old.part_numbers
    and new.model is not distinct from old.model
    and new.brand is not distinct from old.brand
    and new.manufacturer is not distinct from old.manufacturer
    and new.product_status is not distinct from old.product_status
    and new.category is not distinct from old.category
    and new.technologies is not distinct from old.technologies
    and new.hardware_version is not distinct from old.hardware_version
    and new.software_version is not distinct from old.software_version
    and new.parent_product_id is not distinct from old.parent_product_id
    and new.tags is not distinct from old.tags
    and new.created_at is not distinct from old.created_at then return new; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $function$


CREATE OR REPLACE FUNCTION public.products_elements_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from elements e using (
    select distinct r.customer_id, f.name, v as value, r.id
    from old_rows r cross join lateral (values ('part_numbers', r.part_numbers), ('tags', r.tags)) f (name, list) cross join unnest(f.list) v) g
    where e.customer_id = g.customer_id and e.resource = 'products' and e.field = g.name and e.value = g.value
      and e.id = g.id;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.products_elements_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into elements (customer_id, resource, field, value, id)
    select distinct r.customer_id, 'products', f.name, v, r.id
    from new_rows r cross join lateral (values ('part_numbers', r.part_numbers), ('tags', r.tags)) f (name, list) cross join unnest(f.list) v
    on conflict do nothing;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.products_elements_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or old.part_numbers is distinct from new.part_numbers or old.tags is distinct from new.tags) then return null; end if;
  delete from elements e using (
    select old.customer_id, f.name, v as value, old.id from (values ('part_numbers', old.part_numbers), ('tags', old.tags)) f (name, list), unnest(f.list) v
    except
    select new.customer_id, f.name, v, new.id from (values ('part_numbers', new.part_numbers), ('tags', new.tags)) f (name, list), unnest(f.list) v) g
    where e.customer_id = g.customer_id and e.resource = 'products' and e.field = g.name and e.value = g.value
      and e.id = g.id;
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'products', n.name, n.value, n.id from (
      select new.customer_id, f.name, v as value, new.id from (values ('part_numbers', new.part_numbers), ('tags', new.tags)) f (name, list), unnest(f.list) v
      except
      select old.customer_id, f.name, v, old.id from (values ('part_numbers', old.part_numbers), ('tags', old.tags)) f (name, list), unnest(f.list) v) n
    on conflict do nothing;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.products_log_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare former text;
begin
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or (new.name is not distinct from old.name
    and new.part_numbers is not distinct from old.part_numbers
    and new.model is not distinct from old.model
    and new.brand is not distinct from old.brand
    and new.manufacturer is not distinct from old.manufacturer
    and new.product_status is not distinct from old.product_status
    and new.category is not distinct from old.category
    and new.technologies is not distinct from old.technologies
    and new.hardware_version is not distinct from old.hardware_version
    and new.software_version is not distinct from old.software_version
    and new.parent_product_id is not distinct from old.parent_product_id
    and new.tags is not distinct from old.tags
    and new.created_at is not distinct from old.created_at) then return null; end if;
  insert into change_log (customer_id, resource, record_id) values (new.customer_id, 'products', new.id);
  -- history
  former := concat_ws(',',
    case when old.name is distinct from new.name then '"name":' || coalesce(to_json(old.name)::text, 'null') end,
    case when old.part_numbers is distinct from new.part_numbers then '"part_numbers":' || coalesce(to_json(old.part_numbers)::text, 'null') end,
    case when old.model is distinct from new.model then '"model":' || coalesce(to_json(old.model)::text, 'null') end,
    case when old.brand is distinct from new.brand then '"brand":' || coalesce(to_json(old.brand)::text, 'null') end,
    case when old.manufacturer is distinct from new.manufacturer then '"manufacturer":' || coalesce(to_json(old.manufacturer)::text, 'null') end,
    case when old.product_status is distinct from new.product_status then '"product_status":' || coalesce(to_json(old.product_status)::text, 'null') end,
    case when old.category is distinct from new.category then '"category":' || coalesce(to_json(old.category)::text, 'null') end,
    case when old.technologies is distinct from new.technologies then '"technologies":' || coalesce(to_json(old.technologies)::text, 'null') end,
    case when old.hardware_version is distinct from new.hardware_version then '"hardware_version":' || coalesce(to_json(old.hardware_version)::text, 'null') end,
    case when old.software_version is distinct from new.software_version then '"software_version":' || coalesce(to_json(old.software_version)::text, 'null') end,
    case when old.parent_product_id is distinct from new.parent_product_id then '"parent_product_id":' || coalesce(to_json(old.parent_product_id)::text, 'null') end,
    case when old.tags is distinct from new.tags then '"tags":' || coalesce(to_json(old.tags)::text, 'null') end);
  if former <> '' then
    insert into record_history (customer_id, resource, record_id, at, since, old)
      values (new.customer_id, 'products', new.id, new.updated_at, old.updated_at, ('{' || former || '}')::jsonb);
  end if;
  -- end
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.products_words_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into record_words (customer_id, resource, id, words)
    select r.customer_id, 'products', r.id, words_vector(array(
    select 'products/' || r.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', r.name, array_to_string(r.part_numbers, ' '), r.model, r.brand, r.manufacturer))) word
    where length(word) > 1)) from new_rows r;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.products_words_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or old.brand is distinct from new.brand or old.manufacturer is distinct from new.manufacturer or old.model is distinct from new.model or old.name is distinct from new.name or old.part_numbers is distinct from new.part_numbers) then return null; end if;
  update record_words w set customer_id = new.customer_id, id = new.id, words = words_vector(array(
    select 'products/' || new.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', new.name, array_to_string(new.part_numbers, ' '), new.model, new.brand, new.manufacturer))) word
    where length(word) > 1))
  where w.customer_id = old.customer_id and w.resource = 'products' and w.id = old.id;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.projects_before()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.ordered_on_sort := coalesce(new.ordered_on, 'infinity');
  new.due_on_sort := coalesce(new.due_on, 'infinity');
  if tg_op = 'INSERT' then
    -- See docs/decisions/0160-imported-customers-keep-their-times.md.
    if current_setting('app.keeps_times', true) is distinct from 'on' then
      new.created_at := now();
      new.updated_at := now();
    end if;
    new.created_xid := pg_current_xact_id();
    return new;
  end if;
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id then
    new.created_at := greatest(now(), old.updated_at);
    new.created_xid := pg_current_xact_id();
  else
    new.created_xid := old.created_xid;
    if old.created_at is distinct from new.created_at then
      new.created_at := greatest(old.created_at, former_end(new.customer_id, 'projects', new.id));
    end if;
  end if;
  new.updated_at := old.updated_at;
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id) and new.project_number is not distinct from old.project_number
    and new.customer_reference is not distinct from old.customer_reference
    and new.title is not distinct from old.title
    and new.status is not distinct from old.status
    and new.classification is not distinct from old.classification
    and new.product_ids is not distinct from old.product_ids
    and new.country_codes is not distinct from old.country_codes
    and new.ordered_on is not distinct from old.ordered_on
    and new.due_on is not distinct from old.due_on
    and new.completed_on is not distinct from old.completed_on
    and new.tags is not distinct from old.tags
    and new.created_at is not distinct from old.created_at then return new; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $function$


CREATE OR REPLACE FUNCTION public.projects_elements_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from elements e using (
    select distinct r.customer_id, f.name, v as value, r.id
    from old_rows r cross join lateral (values ('product_ids', r.product_ids), ('country_codes', r.country_codes), ('tags', r.tags)) f (name, list) cross join unnest(f.list) v) g
    where e.customer_id = g.customer_id and e.resource = 'projects' and e.field = g.name and e.value = g.value
      and e.id = g.id;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.projects_elements_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into elements (customer_id, resource, field, value, id)
    select distinct r.customer_id, 'projects', f.name, v, r.id
    from new_rows r cross join lateral (values ('product_ids', r.product_ids), ('country_codes', r.country_codes), ('tags', r.tags)) f (name, list) cross join unnest(f.list) v
    on conflict do nothing;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.projects_elements_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or old.product_ids is distinct from new.product_ids or old.country_codes is distinct from new.country_codes or old.tags is distinct from new.tags) then return null; end if;
  delete from elements e using (
    select old.customer_id, f.name, v as value, old.id from (values ('product_ids', old.product_ids), ('country_codes', old.country_codes), ('tags', old.tags)) f (name, list), unnest(f.list) v
    except
    select new.customer_id, f.name, v, new.id from (values ('product_ids', new.product_ids), ('country_codes', new.country_codes), ('tags', new.tags)) f (name, list), unnest(f.list) v) g
    where e.customer_id = g.customer_id and e.resource = 'projects' and e.field = g.name and e.value = g.value
      and e.id = g.id;
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'projects', n.name, n.value, n.id from (
      select new.customer_id, f.name, v as value, new.id from (values ('product_ids', new.product_ids), ('country_codes', new.country_codes), ('tags', new.tags)) f (name, list), unnest(f.list) v
      except
      select old.customer_id, f.name, v, old.id from (values ('product_ids', old.product_ids), ('country_codes', old.country_codes), ('tags', old.tags)) f (name, list), unnest(f.list) v) n
    on conflict do nothing;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.projects_log_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare former text;
begin
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or (new.project_number is not distinct from old.project_number
    and new.customer_reference is not distinct from old.customer_reference
    and new.title is not distinct from old.title
    and new.status is not distinct from old.status
    and new.classification is not distinct from old.classification
    and new.product_ids is not distinct from old.product_ids
    and new.country_codes is not distinct from old.country_codes
    and new.ordered_on is not distinct from old.ordered_on
    and new.due_on is not distinct from old.due_on
    and new.completed_on is not distinct from old.completed_on
    and new.tags is not distinct from old.tags
    and new.created_at is not distinct from old.created_at) then return null; end if;
  insert into change_log (customer_id, resource, record_id) values (new.customer_id, 'projects', new.id);
  -- history
  former := concat_ws(',',
    case when old.project_number is distinct from new.project_number then '"project_number":' || coalesce(to_json(old.project_number)::text, 'null') end,
    case when old.customer_reference is distinct from new.customer_reference then '"customer_reference":' || coalesce(to_json(old.customer_reference)::text, 'null') end,
    case when old.title is distinct from new.title then '"title":' || coalesce(to_json(old.title)::text, 'null') end,
    case when old.status is distinct from new.status then '"status":' || coalesce(to_json(old.status)::text, 'null') end,
    case when old.classification is distinct from new.classification then '"classification":' || coalesce(to_json(old.classification)::text, 'null') end,
    case when old.product_ids is distinct from new.product_ids then '"product_ids":' || coalesce(to_json(old.product_ids)::text, 'null') end,
    case when old.country_codes is distinct from new.country_codes then '"country_codes":' || coalesce(to_json(old.country_codes)::text, 'null') end,
    case when old.ordered_on is distinct from new.ordered_on then '"ordered_on":' || coalesce(to_json(old.ordered_on)::text, 'null') end,
    case when old.due_on is distinct from new.due_on then '"due_on":' || coalesce(to_json(old.due_on)::text, 'null') end,
    case when old.completed_on is distinct from new.completed_on then '"completed_on":' || coalesce(to_json(old.completed_on)::text, 'null') end,
    case when old.tags is distinct from new.tags then '"tags":' || coalesce(to_json(old.tags)::text, 'null') end);
  if former <> '' then
    insert into record_history (customer_id, resource, record_id, at, since, old)
      values (new.customer_id, 'projects', new.id, new.updated_at, old.updated_at, ('{' || former || '}')::jsonb);
  end if;
  -- end
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.projects_words_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into record_words (customer_id, resource, id, words)
    select r.customer_id, 'projects', r.id, words_vector(array(
    select 'projects/' || r.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', r.project_number, r.customer_reference, r.title))) word
    where length(word) > 1)) from new_rows r;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.projects_words_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id or old.customer_reference is distinct from new.customer_reference or old.project_number is distinct from new.project_number or old.title is distinct from new.title) then return null; end if;
  update record_words w set customer_id = new.customer_id, id = new.id, words = words_vector(array(
    select 'projects/' || new.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', new.project_number, new.customer_reference, new.title))) word
    where length(word) > 1))
  where w.customer_id = old.customer_id and w.resource = 'projects' and w.id = old.id;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.prune_changes(retention interval, most integer DEFAULT 20000)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  kept timestamptz;
  below xid8;
  gone bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('certdata change log', 0));
  select s.sampled_at, pg_snapshot_xmin(s.snapshot) into kept, below from change_samples s
    where s.sampled_at <= now() - greatest(retention, interval '1 hour') order by s.sampled_at desc limit 1;
  if below is null then return 0; end if;
  update change_state set pruned_below = greatest(pruned_below, below);
  delete from change_log where ctid = any (array(
    select c.ctid from change_log c where c.xid < below order by c.xid limit most));
  get diagnostics gone = row_count;
  delete from change_samples where sampled_at < kept;
  return gone;
end $function$


CREATE OR REPLACE FUNCTION public.prune_history(kept_days integer, most integer DEFAULT 20000)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  before timestamptz := now() - greatest(kept_days, 1) * interval '1 day';
  gone bigint;
  hidden boolean;
begin
  update history_begun set since = before where since < before;
  hidden := found;
  delete from record_history where ctid = any (array(
    select h.ctid from (select customer_id from customers union all select '*') c
    cross join (select b.resource from history_begun b where b.customer_id = '*') r
    cross join lateral (
      select h.ctid from record_history h
      where h.customer_id = c.customer_id and h.resource = r.resource and h.at < before
      order by h.at limit most) h
    limit most));
  get diagnostics gone = row_count;
  if gone > 0 or hidden then
    insert into change_log (customer_id, resource, record_id) values ('*', 'history', '*');
  end if;
  return gone;
end $function$


CREATE OR REPLACE FUNCTION public.prune_removals()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  delete from removals r where exists (
    select from removals n where n.customer_id = r.customer_id and n.resource = r.resource
      and (n.changed_at, n.xid) > (r.changed_at, r.xid))
$function$


CREATE OR REPLACE FUNCTION public.prune_service_minutes(kept_days integer)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with gone as (
    delete from service_minutes where minute < now() - make_interval(days => greatest(kept_days, 91)) returning 1
  ) select count(*) from gone
$function$


CREATE OR REPLACE FUNCTION public.read_key_expiry(soon interval)
 RETURNS TABLE(nearest_days double precision, ending integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select extract(epoch from min(k.expires_at) - now()) / 86400,
    count(*) filter (where k.expires_at <= now() + soon)::integer
  from api_keys k join customers c on c.customer_id = k.customer_id
  where k.expires_at > now() and k.revoked_at is null and k.replaced_by is null and k.replaces is null
    and c.plan <> 'basic' and c.suspended_at is null
$function$


CREATE OR REPLACE FUNCTION public.read_service_days(since date, until date)
 RETURNS TABLE(day date, minutes integer[], slots integer[], requests_by integer[], failed_by integer[], requests bigint, failed bigint, timed bigint, duration_ms double precision, hits bigint, age_ms integer, buckets bigint[])
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with by_minute as (
    select (minute at time zone 'UTC')::date as day,
      extract(epoch from minute at time zone 'UTC' - date_trunc('day', minute at time zone 'UTC'))::integer / 60 as n,
      bit_or(slots)::integer as slots, sum(requests)::integer as requests, sum(failed)::integer as failed
    from service_minutes
    where minute >= since::timestamp at time zone 'UTC' and minute < until::timestamp at time zone 'UTC'
    group by minute
  ), lists as (
    select day, array_agg(n order by n) as minutes, array_agg(slots order by n) as slots,
      array_agg(requests order by n) as requests_by, array_agg(failed order by n) as failed_by
    from by_minute group by day
  ), totals as (
    select (minute at time zone 'UTC')::date as day, sum(requests)::bigint as requests, sum(failed)::bigint as failed, sum(timed)::bigint as timed,
    sum(duration_ms) as duration_ms, sum(hits)::bigint as hits, max(age_ms) as age_ms, array[coalesce(sum(buckets[1]), 0), coalesce(sum(buckets[2]), 0), coalesce(sum(buckets[3]), 0), coalesce(sum(buckets[4]), 0), coalesce(sum(buckets[5]), 0), coalesce(sum(buckets[6]), 0), coalesce(sum(buckets[7]), 0), coalesce(sum(buckets[8]), 0), coalesce(sum(buckets[9]), 0), coalesce(sum(buckets[10]), 0), coalesce(sum(buckets[11]), 0), coalesce(sum(buckets[12]), 0), coalesce(sum(buckets[13]), 0), coalesce(sum(buckets[14]), 0), coalesce(sum(buckets[15]), 0), coalesce(sum(buckets[16]), 0), coalesce(sum(buckets[17]), 0), coalesce(sum(buckets[18]), 0), coalesce(sum(buckets[19]), 0), coalesce(sum(buckets[20]), 0), coalesce(sum(buckets[21]), 0), coalesce(sum(buckets[22]), 0), coalesce(sum(buckets[23]), 0), coalesce(sum(buckets[24]), 0), coalesce(sum(buckets[25]), 0), coalesce(sum(buckets[26]), 0), coalesce(sum(buckets[27]), 0), coalesce(sum(buckets[28]), 0), coalesce(sum(buckets[29]), 0), coalesce(sum(buckets[30]), 0), coalesce(sum(buckets[31]), 0), coalesce(sum(buckets[32]), 0), coalesce(sum(buckets[33]), 0), coalesce(sum(buckets[34]), 0), coalesce(sum(buckets[35]), 0), coalesce(sum(buckets[36]), 0), coalesce(sum(buckets[37]), 0), coalesce(sum(buckets[38]), 0), coalesce(sum(buckets[39]), 0), coalesce(sum(buckets[40]), 0), coalesce(sum(buckets[41]), 0), coalesce(sum(buckets[42]), 0), coalesce(sum(buckets[43]), 0), coalesce(sum(buckets[44]), 0), coalesce(sum(buckets[45]), 0), coalesce(sum(buckets[46]), 0), coalesce(sum(buckets[47]), 0), coalesce(sum(buckets[48]), 0), coalesce(sum(buckets[49]), 0), coalesce(sum(buckets[50]), 0), coalesce(sum(buckets[51]), 0), coalesce(sum(buckets[52]), 0), coalesce(sum(buckets[53]), 0), coalesce(sum(buckets[54]), 0), coalesce(sum(buckets[55]), 0), coalesce(sum(buckets[56]), 0), coalesce(sum(buckets[57]), 0), coalesce(sum(buckets[58]), 0), coalesce(sum(buckets[59]), 0), coalesce(sum(buckets[60]), 0), coalesce(sum(buckets[61]), 0), coalesce(sum(buckets[62]), 0), coalesce(sum(buckets[63]), 0), coalesce(sum(buckets[64]), 0), coalesce(sum(buckets[65]), 0), coalesce(sum(buckets[66]), 0), coalesce(sum(buckets[67]), 0), coalesce(sum(buckets[68]), 0), coalesce(sum(buckets[69]), 0), coalesce(sum(buckets[70]), 0), coalesce(sum(buckets[71]), 0), coalesce(sum(buckets[72]), 0), coalesce(sum(buckets[73]), 0)]::bigint[] as buckets
    from service_minutes
    where minute >= since::timestamp at time zone 'UTC' and minute < until::timestamp at time zone 'UTC'
    group by 1
  )
  select day, l.minutes, l.slots, l.requests_by, l.failed_by, t.requests, t.failed, t.timed, t.duration_ms,
    t.hits, t.age_ms, t.buckets
  from lists l join totals t using (day) order by day
$function$


CREATE OR REPLACE FUNCTION public.read_service_minutes(since timestamp with time zone, until timestamp with time zone)
 RETURNS TABLE(minute bigint, slots integer, requests bigint, failed bigint, timed bigint, duration_ms double precision, hits bigint, age_ms integer, buckets bigint[])
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select extract(epoch from minute)::bigint / 60, bit_or(slots)::integer, sum(requests)::bigint as requests, sum(failed)::bigint as failed, sum(timed)::bigint as timed,
    sum(duration_ms) as duration_ms, sum(hits)::bigint as hits, max(age_ms) as age_ms, array[coalesce(sum(buckets[1]), 0), coalesce(sum(buckets[2]), 0), coalesce(sum(buckets[3]), 0), coalesce(sum(buckets[4]), 0), coalesce(sum(buckets[5]), 0), coalesce(sum(buckets[6]), 0), coalesce(sum(buckets[7]), 0), coalesce(sum(buckets[8]), 0), coalesce(sum(buckets[9]), 0), coalesce(sum(buckets[10]), 0), coalesce(sum(buckets[11]), 0), coalesce(sum(buckets[12]), 0), coalesce(sum(buckets[13]), 0), coalesce(sum(buckets[14]), 0), coalesce(sum(buckets[15]), 0), coalesce(sum(buckets[16]), 0), coalesce(sum(buckets[17]), 0), coalesce(sum(buckets[18]), 0), coalesce(sum(buckets[19]), 0), coalesce(sum(buckets[20]), 0), coalesce(sum(buckets[21]), 0), coalesce(sum(buckets[22]), 0), coalesce(sum(buckets[23]), 0), coalesce(sum(buckets[24]), 0), coalesce(sum(buckets[25]), 0), coalesce(sum(buckets[26]), 0), coalesce(sum(buckets[27]), 0), coalesce(sum(buckets[28]), 0), coalesce(sum(buckets[29]), 0), coalesce(sum(buckets[30]), 0), coalesce(sum(buckets[31]), 0), coalesce(sum(buckets[32]), 0), coalesce(sum(buckets[33]), 0), coalesce(sum(buckets[34]), 0), coalesce(sum(buckets[35]), 0), coalesce(sum(buckets[36]), 0), coalesce(sum(buckets[37]), 0), coalesce(sum(buckets[38]), 0), coalesce(sum(buckets[39]), 0), coalesce(sum(buckets[40]), 0), coalesce(sum(buckets[41]), 0), coalesce(sum(buckets[42]), 0), coalesce(sum(buckets[43]), 0), coalesce(sum(buckets[44]), 0), coalesce(sum(buckets[45]), 0), coalesce(sum(buckets[46]), 0), coalesce(sum(buckets[47]), 0), coalesce(sum(buckets[48]), 0), coalesce(sum(buckets[49]), 0), coalesce(sum(buckets[50]), 0), coalesce(sum(buckets[51]), 0), coalesce(sum(buckets[52]), 0), coalesce(sum(buckets[53]), 0), coalesce(sum(buckets[54]), 0), coalesce(sum(buckets[55]), 0), coalesce(sum(buckets[56]), 0), coalesce(sum(buckets[57]), 0), coalesce(sum(buckets[58]), 0), coalesce(sum(buckets[59]), 0), coalesce(sum(buckets[60]), 0), coalesce(sum(buckets[61]), 0), coalesce(sum(buckets[62]), 0), coalesce(sum(buckets[63]), 0), coalesce(sum(buckets[64]), 0), coalesce(sum(buckets[65]), 0), coalesce(sum(buckets[66]), 0), coalesce(sum(buckets[67]), 0), coalesce(sum(buckets[68]), 0), coalesce(sum(buckets[69]), 0), coalesce(sum(buckets[70]), 0), coalesce(sum(buckets[71]), 0), coalesce(sum(buckets[72]), 0), coalesce(sum(buckets[73]), 0)]::bigint[] as buckets
  from service_minutes where minute >= since and minute < until group by minute order by minute
$function$


CREATE OR REPLACE FUNCTION public.read_service_notes(since timestamp with time zone)
 RETURNS TABLE(starts_at timestamp with time zone, ends_at timestamp with time zone, note text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select starts_at, ends_at, text from service_notes where ends_at > since order by starts_at desc, id desc limit 50
$function$


CREATE OR REPLACE FUNCTION public.records_log_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into change_log (customer_id, resource, record_id) select o.customer_id, tg_table_name, o.id from old_rows o;
  insert into removals (customer_id, resource, changed_at)
    select o.customer_id, tg_table_name, greatest(now(), max(o.updated_at)) from old_rows o
    group by 1 on conflict do nothing;
  -- history
  insert into record_history (customer_id, resource, record_id, position, at)
    select o.customer_id, tg_table_name, o.id, coalesce(l.position + 1, 0), o.created_at
    from old_rows o left join lateral (
      select h.position, h.old = '{}' as is_mark from record_history h
      where h.customer_id = o.customer_id and h.resource = tg_table_name and h.record_id = o.id
        and (h.old ? 'created_at' or h.old = '{}')
      order by h.position desc limit 1) l on true
    where l.is_mark is not true and exists (select from customers c where c.customer_id = o.customer_id);
  insert into record_history (customer_id, resource, record_id, at, since, old)
    select o.customer_id, tg_table_name, o.id, greatest(now(), o.updated_at), o.updated_at,
      to_jsonb(o) - array(select attname::text from pg_attribute
        where attrelid = tg_relid and attname::text <> all (tg_argv))
    from old_rows o where exists (select from customers c where c.customer_id = o.customer_id);
  -- end
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.records_log_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare late record;
begin
  insert into change_log (customer_id, resource, record_id) select r.customer_id, tg_table_name, r.id from new_rows r;
  -- history
  for late in select r.customer_id as owner, r.id from new_rows r cross join lateral (select h.at from record_history h
    where h.customer_id = r.customer_id and h.resource = tg_table_name and h.record_id = r.id and h.old ? 'created_at'
    order by h.position desc limit 1) l
    where l.at > r.created_at loop
    execute format('update %I set created_at = ''infinity'' where customer_id = $1 and id = $2', tg_table_name) using late.owner, late.id;
  end loop;
  -- end
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.records_log_moved()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into change_log (customer_id, resource, record_id)
    values (old.customer_id, tg_table_name, old.id), (new.customer_id, tg_table_name, new.id);
  insert into removals (customer_id, resource, changed_at)
    select o.customer_id, tg_table_name, greatest(now(), max(o.updated_at)) from (select old.*) o
    group by 1 on conflict do nothing;
  -- history
  insert into record_history (customer_id, resource, record_id, position, at)
    select o.customer_id, tg_table_name, o.id, coalesce(l.position + 1, 0), o.created_at
    from (select old.*) o left join lateral (
      select h.position, h.old = '{}' as is_mark from record_history h
      where h.customer_id = o.customer_id and h.resource = tg_table_name and h.record_id = o.id
        and (h.old ? 'created_at' or h.old = '{}')
      order by h.position desc limit 1) l on true
    where l.is_mark is not true and exists (select from customers c where c.customer_id = o.customer_id);
  insert into record_history (customer_id, resource, record_id, at, since, old)
    select o.customer_id, tg_table_name, o.id, greatest(now(), o.updated_at), o.updated_at,
      to_jsonb(o) - array(select attname::text from pg_attribute
        where attrelid = tg_relid and attname::text <> all (tg_argv))
    from (select old.*) o where exists (select from customers c where c.customer_id = o.customer_id);
  -- end
  -- history
  if former_end(new.customer_id, tg_table_name, new.id) > new.created_at then
    execute format('update %I set created_at = ''infinity'' where customer_id = $1 and id = $2', tg_table_name)
      using new.customer_id, new.id;
  end if;
  -- end
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.records_words_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from record_words w using old_rows r
  where w.customer_id = r.customer_id and w.resource = tg_table_name and w.id = r.id;
  return null;
end $function$


CREATE OR REPLACE FUNCTION public.renew_webhooks(holder uuid, at timestamp with time zone, lease interval, busy text[])
 RETURNS SETOF text
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with mine as materialized (
    select w.webhook_id from webhooks w
    where w.holder = $1 and w.webhook_id = any($4) and w.held_until is not null for update skip locked
  ), renewed as (
    update webhooks w set held_until = $2 + $3 from mine where w.webhook_id = mine.webhook_id
  ), ended as materialized (
    select w.webhook_id from webhooks w
    where (w.held_until <= $2 or w.held_until > $2 + interval '1 minute')
      and not (w.holder = $1 and w.webhook_id = any($4)) for update skip locked
  ), freed as (
    update webhooks w set held_until = null from ended where w.webhook_id = ended.webhook_id
    returning w.customer_id, w.state
  )
  select f.customer_id from freed f where f.state = 'active'
  union
  select w.customer_id from webhooks w
  join customers c on c.customer_id = w.customer_id and c.suspended_at is null and c.plan <> 'basic'
  where w.state = 'active' and w.held_until is null and w.next_attempt_at <= $2
$function$


CREATE OR REPLACE FUNCTION public.repair_trigger_modes(wanted text[])
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '500ms'
AS $function$
declare
  found_wrong record;
begin
  for found_wrong in
    select c.relname, t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and t.tgenabled <> 'A' and not t.tgisinternal
      and concat_ws('.', c.relname, t.tgname) = any(wanted)
    order by c.relname, t.tgname
  loop
    execute format('alter table public.%I enable always trigger %I', found_wrong.relname, found_wrong.tgname);
    perform distrust_resources(array[found_wrong.relname::text], false);
    return next concat_ws('.', found_wrong.relname, found_wrong.tgname);
  end loop;
  if found then
    insert into change_log (customer_id, resource, record_id) values ('*', '*', '*');
  end if;
end $function$


CREATE OR REPLACE FUNCTION public.report_service_minutes(minutes json)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  insert into service_minutes
    (minute, instance, slots, requests, failed, timed, duration_ms, hits, age_ms, buckets)
  select to_timestamp(minute * 60), instance, slots, requests, failed, timed, duration_ms, hits, age_ms, buckets
  from json_to_recordset(minutes) as m (minute bigint, instance text, slots smallint, requests integer,
    failed integer, timed integer, duration_ms double precision, hits integer, age_ms integer,
    buckets integer[])
  where to_timestamp(minute * 60) between now() - interval '2 days' and now() + interval '2 minutes'
  on conflict (minute, instance) do update set slots = excluded.slots, requests = excluded.requests,
    failed = excluded.failed, timed = excluded.timed, duration_ms = excluded.duration_ms,
    hits = excluded.hits, age_ms = excluded.age_ms, buckets = excluded.buckets
$function$


CREATE OR REPLACE FUNCTION public.report_service_origin(public_origin text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  insert into service_origins (origin) values (public_origin) on conflict (origin) do update set started_at = now();
  delete from service_origins where origin in (select origin from service_origins order by started_at desc offset 20)
$function$


CREATE OR REPLACE FUNCTION public.revoke_api_key(customer text, key text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  update api_keys set revoked_at = now()
  where customer_id = customer and key_id = key and revoked_at is null
$function$


CREATE OR REPLACE FUNCTION public.revoke_token(customer text, key text, token text, until timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  delete from revoked_tokens where ctid = any (array(
    select ctid from revoked_tokens where expires_at < now() - interval '2 minutes'
    limit 100 for update skip locked));
  insert into revoked_tokens (customer_id, key_id, jti, expires_at) values (customer, key, token, until)
    on conflict do nothing
$function$


CREATE OR REPLACE FUNCTION public.rotate_api_key(customer text, key text, fresh text, fresh_sha256 bytea, kept interval, pause interval, patience interval)
 RETURNS TABLE(outcome text, wait_seconds integer, name text, expires_at timestamp with time zone, expires_at_after_login timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  old api_keys;
begin
  perform lock_key(customer, key);
  select * into old from api_keys k where k.customer_id = customer and k.key_id = key;
  outcome := case
    when old.key_id is null or old.revoked_at is not null or old.expires_at <= now() or old.client_jwks is not null
      then 'unusable'
    when old.replaced_by is not null then 'replaced'
    when old.replaces is not null then 'pending'
    when old.rotated_at > now() - pause then 'too_soon'
    else 'made' end;
  if outcome = 'too_soon' then
    wait_seconds := ceil(extract(epoch from old.rotated_at + pause - now()));
  elsif outcome = 'made' then
    delete from api_keys k where k.customer_id = customer and k.replaces = key and k.revoked_at is null;
    delete from key_links l where l.customer_id = customer and l.replaces = key;
    name := old.name;
    expires_at_after_login := now() + (old.expires_at - old.created_at);
    expires_at := least(expires_at_after_login, now() + patience);
    insert into api_keys
      (customer_id, key_id, secret_sha256, name, scopes, networks, expires_at, replaces, overlap, lifetime)
    values (customer, fresh, fresh_sha256, name, old.scopes, old.networks, expires_at, key, kept,
      old.expires_at - old.created_at);
  end if;
  return next;
end $function$


CREATE OR REPLACE FUNCTION public.sample_changes()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  insert into change_samples (sampled_at, snapshot)
  values (date_trunc('minute', now()), pg_current_snapshot()) on conflict do nothing;
  select mark_changes(interval '30 seconds');
$function$


CREATE OR REPLACE FUNCTION public.signing_keys_version()
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select coalesce(md5(string_agg(kid || ' ' || state, ',' order by kid)), '') from list_signing_keys()
$function$


CREATE OR REPLACE FUNCTION public.trim_demo_history(kind text, record text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  newest bigint[] := array(select h.position from record_history h
    where h.customer_id = 'demo' and h.resource = kind and h.record_id = record order by h.position desc limit 91);
begin
  if cardinality(newest) < 91 then return; end if;
  delete from record_history h where h.customer_id = 'demo' and h.resource = kind and h.record_id = record
    and h.position < newest[50];
  update record_history h set old = '{}' where h.customer_id = 'demo' and h.resource = kind and h.record_id = record
    and h.position = newest[50];
  insert into change_log (customer_id, resource, record_id) values ('demo', 'history', record);
end $function$


CREATE OR REPLACE FUNCTION public.update_webhook(holder uuid, customer text, webhook text, changes json)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update webhooks w set (state, reason, changed_at, token, since, day, identity, message_id, message_at,
    message_resources, message_after, next_token, next_since, next_day, next_identity, attempts,
    failing_since, next_attempt_at, last_result, delivered_at, held_until) = (
    select n.state, n.reason, n.changed_at, n.token, n.since, n.day, n.identity, n.message_id, n.message_at,
      n.message_resources, n.message_after, n.next_token, n.next_since, n.next_day, n.next_identity,
      n.attempts, n.failing_since, n.next_attempt_at, n.last_result, n.delivered_at, n.held_until
    from json_populate_record(w, $4) n)
  where w.customer_id = $2 and w.webhook_id = $3 and w.holder = $1 and w.state = 'active';
  if not found then
    return false;
  end if;
  if $4->'delivery' is not null then
    perform log_webhook_delivery($2, $3, $4->'delivery');
  end if;
  return true;
end $function$


CREATE OR REPLACE FUNCTION public.use_assertion(customer text, key text, jti bytea, until timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  delete from used_assertions where ctid = any (array(
    select ctid from used_assertions where expires_at < now() - interval '2 minutes'
    limit 100 for update skip locked));
  with used as (
    insert into used_assertions (customer_id, key_id, jti_sha256, expires_at) values (customer, key, jti, until)
    on conflict do nothing returning 1)
  select exists (select from used)
$function$


CREATE OR REPLACE FUNCTION public.use_key_link(link_sha256 bytea, key_sha256 bytea, patience interval)
 RETURNS TABLE(customer_id text, key_id text, name text, scopes text[], networks text[], expires_at timestamp with time zone, replaces text, overlap_seconds double precision, expires_at_after_login timestamp with time zone)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select lock_key(l.customer_id, l.replaces) from key_links l where l.secret_sha256 = link_sha256;
  delete from api_keys k using key_links l, customers c
    where l.secret_sha256 = link_sha256 and l.expires_at > now() and c.customer_id = l.customer_id
      and c.plan <> 'basic' and c.suspended_at is null
      and k.customer_id = l.customer_id and k.replaces = l.replaces and k.revoked_at is null;
  with used as (
    delete from key_links l using customers c
    where l.secret_sha256 = link_sha256 and l.expires_at > now() and c.customer_id = l.customer_id
      and c.plan <> 'basic' and c.suspended_at is null
    returning l.*
  )
  insert into api_keys
    (customer_id, key_id, secret_sha256, name, scopes, networks, expires_at, replaces, overlap, lifetime)
  select u.customer_id, u.key_id, key_sha256, u.name, u.scopes, u.networks,
    least(now() + u.lifetime, case when u.replaces is not null then now() + patience end), u.replaces, u.overlap,
    case when u.replaces is not null then u.lifetime end
  from used u
  returning customer_id, key_id, name, scopes, networks::text[], expires_at, replaces,
    extract(epoch from overlap)::double precision, created_at + lifetime
$function$


CREATE OR REPLACE FUNCTION public.words_query(owner text, wanted_resource text, wanted text[])
 RETURNS tsquery
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  return (select string_agg(quote_literal(wanted_resource || '/' || owner || '/' || word) || ':*', ' & ')::tsquery
    from unnest(fold_words(array_to_string(wanted, ' '))) word);
end $function$


CREATE OR REPLACE FUNCTION public.words_vector(words text[])
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  size_bytes bigint;
begin
  if cardinality(words) > 2000 then
    size_bytes := (select sum(octet_length(word)) from (select distinct unnest(words)) distinct_words (word));
    if size_bytes > 1048575 then
      raise exception 'the searched texts of a record have at most 1048575 bytes of words, and these have %', size_bytes
        using errcode = 'program_limit_exceeded', hint = 'Divide it into several records.';
    end if;
  end if;
  return array_to_tsvector(words);
end $function$


CREATE OR REPLACE FUNCTION public.write_audit_entries(entries json)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with given as materialized (
    select nextval('audit_entry_ids') as entry_id, g.* from json_to_recordset(entries) as g (
      actor text, customer_ref uuid, action text, outcome text, request_id text, personal json)
  ), persons as (
    insert into audit_persons (entry_id, salt, personal)
    select entry_id, uuid_send(gen_random_uuid()), personal from given
  ), queued as (
    insert into audit_pending (entry_id) select entry_id from given
  )
  insert into audit_entries (entry_id, actor, customer_ref, action, outcome, request_id)
  select entry_id, actor, customer_ref, action, outcome, request_id from given
$function$

grant connect, temporary on database current to public
grant execute on function add_access_request(text,text,text,text,text,timestamp with time to certdata_reader
grant execute on function add_audit_reads(json) to certdata_reader
grant execute on function add_audit_reads(json) to certdata_operator
grant execute on function add_usage(uuid,bigint,json) to certdata_reader
grant execute on function append_audit(json) to certdata_reader
grant execute on function append_audit(json) to certdata_operator
grant execute on function append_audit_seals(json) to certdata_reader
grant execute on function approvals_before() to public
grant execute on function approvals_elements_delete() to public
grant execute on function approvals_elements_insert() to public
grant execute on function approvals_elements_update() to public
grant execute on function approvals_log_update() to public
grant execute on function approvals_words_insert() to public
grant execute on function approvals_words_update() to public
grant execute on function audit_head() to certdata_reader
grant execute on function audit_operator() to public
grant execute on function begin_changes(interval) to certdata_reader
grant execute on function begin_changes(interval) to certdata_operator
grant execute on function certificates_before() to public
grant execute on function certificates_elements_delete() to public
grant execute on function certificates_elements_insert() to public
grant execute on function certificates_elements_update() to public
grant execute on function certificates_log_update() to public
grant execute on function certificates_words_insert() to public
grant execute on function certificates_words_update() to public
grant execute on function change_demo_record(boolean) to certdata_reader
grant execute on function change_history(pg_snapshot) to certdata_reader
grant execute on function change_history(pg_snapshot) to certdata_operator
grant execute on function change_identity() to certdata_reader
grant execute on function change_identity() to certdata_operator
grant execute on function claim_webhooks(uuid,timestamp with time zone,interval,text[],te to certdata_reader
grant execute on function collect_audit_reads(timestamp with time zone,integer) to certdata_reader
grant execute on function collect_audit_reads(timestamp with time zone,integer) to certdata_operator
grant execute on function complete_key_rotation(text,text) to certdata_reader
grant execute on function count_overdue_access_requests() to certdata_reader
grant execute on function count_overdue_access_requests() to certdata_operator
grant execute on function count_webhooks() to certdata_reader
grant execute on function countries_before() to public
grant execute on function countries_log_delete() to public
grant execute on function countries_log_insert() to public
grant execute on function countries_log_moved() to public
grant execute on function countries_log_update() to public
grant execute on function countries_words_delete() to public
grant execute on function countries_words_insert() to public
grant execute on function countries_words_update() to public
grant execute on function cover_signing_key(text,timestamp with time zone) to certdata_reader
grant execute on function current_mark() to certdata_reader
grant execute on function current_mark() to certdata_operator
grant execute on function customers_history_delete() to public
grant execute on function customers_log_settings() to public
grant execute on function date_demo_history(timestamp with time zone[],timestamp with tim to certdata_operator
grant execute on function delete_old_access_requests(integer) to certdata_reader
grant execute on function delete_old_access_requests(integer) to certdata_operator
grant execute on function delete_old_usage(integer) to certdata_reader
grant execute on function distrust_resources(text[],boolean) to certdata_reader
grant execute on function end_distrust() to certdata_reader
grant execute on function find_api_key(text) to certdata_reader
grant execute on function find_by_words(text,text,text[],integer) to certdata_reader
grant execute on function find_by_words(text,text,text[],integer) to certdata_operator
grant execute on function find_custom_endpoints(text) to certdata_reader
grant execute on function find_customer(text) to certdata_reader
grant execute on function find_customer(text) to certdata_operator
grant execute on function find_customer_since(text) to certdata_reader
grant execute on function first_service_minute() to certdata_reader
grant execute on function fold_words(text) to public
grant execute on function follow_predecessor() to public
grant execute on function former_end(text,text,text) to public
grant execute on function has_revoked_tokens(text,text) to certdata_reader
grant execute on function history_floor() to certdata_reader
grant execute on function history_floor() to certdata_operator
grant execute on function is_list(text[]) to public
grant execute on function is_token_revoked(text,text,text) to certdata_reader
grant execute on function lab_before() to public
grant execute on function lab_elements_delete() to public
grant execute on function lab_elements_insert() to public
grant execute on function lab_elements_update() to public
grant execute on function lab_log_update() to public
grant execute on function lab_words_insert() to public
grant execute on function lab_words_update() to public
grant execute on function list_account_keys(text,text,integer) to certdata_reader
grant execute on function list_api_key_ids(text[],integer) to certdata_reader
grant execute on function list_signing_keys() to certdata_reader
grant execute on function list_unsealed_audit(integer) to certdata_reader
grant execute on function lock_key(text,text) to certdata_operator
grant execute on function log_custom() to public
grant execute on function log_records_truncate() to public
grant execute on function log_rights() to public
grant execute on function log_truncate() to public
grant execute on function log_webhook_delivery(text,text,json) to certdata_operator
grant execute on function mark_api_key_used(text) to certdata_reader
grant execute on function merge_objects(jsonb) to public
grant execute on function newest_mark() to certdata_reader
grant execute on function newest_mark() to certdata_operator
grant execute on function poll_changes(text,integer) to certdata_reader
grant execute on function poll_changes(text,integer) to certdata_operator
grant execute on function prepare_audit_seals(integer) to certdata_reader
grant execute on function products_before() to public
grant execute on function products_elements_delete() to public
grant execute on function products_elements_insert() to public
grant execute on function products_elements_update() to public
grant execute on function products_log_update() to public
grant execute on function products_words_insert() to public
grant execute on function products_words_update() to public
grant execute on function projects_before() to public
grant execute on function projects_elements_delete() to public
grant execute on function projects_elements_insert() to public
grant execute on function projects_elements_update() to public
grant execute on function projects_log_update() to public
grant execute on function projects_words_insert() to public
grant execute on function projects_words_update() to public
grant execute on function prune_changes(interval,integer) to certdata_reader
grant execute on function prune_changes(interval,integer) to certdata_operator
grant execute on function prune_history(integer,integer) to certdata_reader
grant execute on function prune_history(integer,integer) to certdata_operator
grant execute on function prune_removals() to certdata_reader
grant execute on function prune_removals() to certdata_operator
grant execute on function prune_service_minutes(integer) to certdata_reader
grant execute on function read_key_expiry(interval) to certdata_reader
grant execute on function read_service_days(date,date) to certdata_reader
grant execute on function read_service_minutes(timestamp with time zone,timestamp with ti to certdata_reader
grant execute on function read_service_notes(timestamp with time zone) to certdata_reader
grant execute on function records_log_delete() to public
grant execute on function records_log_insert() to public
grant execute on function records_log_moved() to public
grant execute on function records_words_delete() to public
grant execute on function renew_webhooks(uuid,timestamp with time zone,interval,text[]) to certdata_reader
grant execute on function repair_trigger_modes(text[]) to certdata_reader
grant execute on function report_service_minutes(json) to certdata_reader
grant execute on function report_service_origin(text) to certdata_reader
grant execute on function revoke_api_key(text,text) to certdata_reader
grant execute on function revoke_token(text,text,text,timestamp with time zone) to certdata_reader
grant execute on function rotate_api_key(text,text,text,bytea,interval,interval,interval) to certdata_reader
grant execute on function sample_changes() to certdata_reader
grant execute on function sample_changes() to certdata_operator
grant execute on function signing_keys_version() to certdata_reader
grant execute on function trim_demo_history(text,text) to certdata_operator
grant execute on function update_webhook(uuid,text,text,json) to certdata_reader
grant execute on function use_assertion(text,text,bytea,timestamp with time zone) to certdata_reader
grant execute on function use_key_link(bytea,bytea,interval) to certdata_reader
grant execute on function words_query(text,text,text[]) to public
grant execute on function words_vector(text[]) to public
grant execute on function write_audit_entries(json) to public
grant usage on schema public to public
grant usage on schema public to certdata_reader
grant usage on schema public to certdata_operator
grant usage on sequence record_history_position_seq to certdata_operator
grant delete, insert, select, update on table access_requests to certdata_operator
grant delete, insert, select, update on table api_keys to certdata_operator
grant select on table approvals to certdata_reader
grant delete, insert, select, update on table approvals to certdata_operator
grant delete, insert, select, update on table approved_requests to certdata_operator
grant select on table audit_anchor to certdata_operator
grant select on table audit_copies to certdata_reader
grant select on table audit_copies to certdata_operator
grant select on table audit_entries to certdata_operator
grant select on table audit_numbers to certdata_operator
grant select on table audit_pending to certdata_operator
grant select on table audit_persons to certdata_operator
grant select on table audit_seals to certdata_operator
grant select on table certificates to certdata_reader
grant delete, insert, select, update on table certificates to certdata_operator
grant select on table change_log to certdata_reader
grant delete, insert, select on table change_log to certdata_operator
grant delete, insert, select, update on table change_samples to certdata_operator
grant delete, insert, select, update on table change_state to certdata_operator
grant select on table countries to certdata_reader
grant delete, insert, select, update on table countries to certdata_operator
grant delete, insert, select, update on table custom_documents to certdata_operator
grant delete, insert, select, update on table custom_endpoints to certdata_operator
grant delete, insert, select, update on table custom_grants to certdata_operator
grant delete, insert, select, update on table customers to certdata_operator
grant select on table elements to certdata_reader
grant delete, insert, select, update on table elements to certdata_operator
grant select on table history_begun to certdata_reader
grant delete, insert, select, update on table history_begun to certdata_operator
grant delete, insert, select, update on table key_links to certdata_operator
grant select on table kysely_migration to certdata_reader
grant select on table kysely_migration to certdata_operator
grant select on table kysely_migration_lock to certdata_reader
grant select on table kysely_migration_lock to certdata_operator
grant select on table lab to certdata_reader
grant delete, insert, select, update on table lab to certdata_operator
grant select on table products to certdata_reader
grant delete, insert, select, update on table products to certdata_operator
grant select on table projects to certdata_reader
grant delete, insert, select, update on table projects to certdata_operator
grant select on table record_history to certdata_reader
grant delete, insert, select, update on table record_history to certdata_operator
grant select on table record_words to certdata_reader
grant delete, insert, select, update on table record_words to certdata_operator
grant delete, insert, select, update on table reference_data to certdata_operator
grant select on table removals to certdata_reader
grant delete, insert, select on table removals to certdata_operator
grant delete, insert, select, update on table revoked_tokens to certdata_operator
grant select on table service_minutes to certdata_operator
grant delete, insert, select on table service_notes to certdata_operator
grant select on table service_origins to certdata_operator
grant delete, insert, select, update on table signing_keys to certdata_operator
grant select on table usage_days to certdata_reader
grant delete, insert, select on table usage_days to certdata_operator
grant delete, select on table usage_writers to certdata_operator
grant delete, insert, select, update on table used_assertions to certdata_operator
grant select on table webhook_deliveries to certdata_reader
grant delete, select on table webhook_deliveries to certdata_operator
grant delete, insert, select, update on table webhooks to certdata_operator
grant select on table webhooks.created_at to certdata_reader
grant select on table webhooks.customer_id to certdata_reader
grant select on table webhooks.delivered_at to certdata_reader
grant select on table webhooks.failing_since to certdata_reader
grant select on table webhooks.last_result to certdata_reader
grant select on table webhooks.next_attempt_at to certdata_reader
grant select on table webhooks.reason to certdata_reader
grant select on table webhooks.resources to certdata_reader
grant select on table webhooks.state to certdata_reader
grant select on table webhooks.url to certdata_reader
grant select on table webhooks.webhook_id to certdata_reader
grant usage on type calendar_date to public
grant select on view reference_history to certdata_reader
grant select on view reference_history to certdata_operator
comment on function public.claim_webhooks(pg_catalog.uuid,timestamp with time zone,interval,pg_catalog.text[],pg_catalog.text[],integer,boolean) is 'with_failing: also webhooks whose last message was not accepted'
comment on function public.cover_signing_key(pg_catalog.text,timestamp with time zone) is 'stores the latest expiry of the key''s tokens; false: the key was removed and must not sign'
comment on function public.renew_webhooks(pg_catalog.uuid,timestamp with time zone,interval,pg_catalog.text[]) is 'renews leases; returns customers with webhooks that wait because their lease has ended or an attempt is due'
comment on function public.signing_keys_version() is 'changes with the keys that list_signing_keys returns'
comment on function public.use_assertion(pg_catalog.text,pg_catalog.text,pg_catalog.bytea,timestamp with time zone) is 'false: the assertion was used before'
comment on table column public.api_keys.client_jwks is 'public keys of a client that signs assertions (RFC 7517)'
comment on table column public.api_keys.lifetime is 'of a key that waits for its first login, from created_at; null = unlimited. Until then, expires_at is the last time for it'
comment on table column public.api_keys.name is 'the operator''s words for the place that uses the key; its customer reads them'
comment on table column public.api_keys.networks is 'null = all addresses'
comment on table column public.api_keys.overlap is 'how long the replaced key works from this first login'
comment on table column public.api_keys.replaced_by is 'the key that a rotation created instead of this one'
comment on table column public.api_keys.replaces is 'the key that this one replaces at its first login, which sets this to null'
comment on table column public.api_keys.rotated_at is 'first login of a key that replaced another one'
comment on table column public.api_keys.scopes is 'null or with * = all scopes, also of later resources'
comment on table column public.custom_documents.document is 'JSON as text, because answers have its members in the same order'
comment on table column public.custom_endpoints.to_everyone is 'granted to all customers without a row in custom_grants'
comment on table column public.customers.audit_ref is 'identifies the customer in audit entries, also after an erasure'
comment on table column public.key_links.lifetime is 'of the key, from the use of the link; null = unlimited'
comment on table column public.service_minutes.buckets is 'number of data answers by duration: 0.1 ms * 10^(i/12), from i = 0'
comment on table column public.signing_keys.tokens_until is 'latest expiry of the tokens signed with this key'
comment on table public.access_requests is 'open and rejected requests; their senders have given consent'
comment on table public.audit_copies is 'sealed audit entries for their customers'
comment on table public.audit_numbers is 'the newest number of each customer''s audit entries'
comment on table public.audit_reads is 'counts of reads that are not in the audit trail yet'
comment on table public.change_log is 'append-only; find new rows by xid, not by position: see poll_changes'
comment on table public.change_marks is 'a random mark for each minute, to distinguish histories of the database'
comment on table public.change_samples is 'a snapshot for each minute, which shows the transactions that had ended'
comment on table public.demo_changes is 'approvals of the example customer that a visitor of the demo may change for a minute'
comment on table public.distrusted_resources is 'a cached answer differed from the database; ends when migrate or a start finds all triggers right'
comment on table public.history_begun is 'start of the complete history of a resource; customer * = default'
comment on table public.record_history is 'previous values of records, written by triggers; customer * = reference data'
comment on table public.record_words is 'words of records for the parameter q, written by triggers'
comment on table public.removals is 'times of deletions; only the newest of a customer and resource counts; customer * = all'
comment on table public.service_minutes is 'a row for each minute and running instance; slots: a bit for each ten seconds'
comment on table public.service_notes is 'announced maintenance, shown on the status page'
comment on table public.service_origins is 'the origins with which the service started, for the links that commands print'
comment on table public.usage_days is 'requests of each customer by day and endpoint, for 31 days'
comment on table public.usage_writers is 'the last batch of usage that each process has written'
comment on table public.webhook_deliveries is 'the last 20 attempts for each webhook'
comment on table public.webhooks is 'receivers of messages about changes, and the progress of each'
