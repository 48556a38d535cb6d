-- A word is stored with its resource and customer (`certificates/acme/tracker`), so that a search enters the index at
-- the customer. Reference data has the customer `*`.
create table record_words (
  customer_id text collate "C" not null,
  resource text collate "C" not null,
  id text collate "C" not null,
  words tsvector not null,
  primary key (customer_id, resource, id)
);
comment on table record_words is 'words of records for the parameter q, written by triggers';
-- 1 MB, because every search reads the pending list.
create index record_words_words on record_words using gin (words) with (gin_pending_list_limit = 1024);

grant select, insert, update, delete on record_words to certdata_operator;

-- Folds case and accents. `schemas/letters.ts` has the same letters: a change needs a migration that writes record_words
-- again. The way for ASCII takes a fifth of the time.
-- `E`, because a session may turn off standard_conforming_strings.
create function fold_words(value text) returns text[]
language plpgsql immutable strict parallel safe set search_path = public, pg_temp as $$
begin
  if octet_length(value) = length(value) then
    return regexp_split_to_array(lower(value collate "C"), '[^a-z0-9]+');
  end if;
  return regexp_split_to_array(replace(replace(replace(replace(translate(lower(regexp_replace(normalize(value, NFKD) collate "C", E'[\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05bd\\u05bf\\u05c1-\\u05c2\\u05c4-\\u05c5\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20f0\\ufe20-\\ufe2f]+', '', 'g')
    collate "und-x-icu"), 'ςıłøđðħŧ', 'σiloddht'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') collate "C",
    E'[^a-z0-9\\u00c6-\\u00d0\\u00d8-\\u00f0\\u00f8-\\u02c1\\u02c6-\\u02d1\\u02ec\\u02ee\\u0300-\\u0373\\u0376-\\u03f3\\u03f7-\\u0481\\u0483-\\u0559\\u0560-\\u0588\\u0591-\\u05bd\\u05bf\\u05c1-\\u05c2\\u05c4-\\u05c5\\u05c7-\\u05f2\\u0610-\\u061a\\u0620-\\u0669\\u066e-\\u06d2\\u06d5-\\u06dc\\u06df-\\u06e8\\u06ea-\\u06fc\\u06ff\\u0710-\\u07f5\\u07fa-\\u07fd\\u0800-\\u082d\\u0840-\\u085b\\u0860-\\u0887\\u0889-\\u088f\\u0897-\\u08e1\\u08e3-\\u0963\\u0966-\\u096f\\u0971-\\u09f1\\u09fc\\u09fe-\\u0a75\\u0a81-\\u0aef\\u0af9-\\u0b6f\\u0b71\\u0b82-\\u0bef\\u0c00-\\u0c6f\\u0c80-\\u0c83\\u0c85-\\u0d4e\\u0d54-\\u0d57\\u0d5f-\\u0d6f\\u0d7a-\\u0df3\\u0e01-\\u0e3a\\u0e40-\\u0e4e\\u0e50-\\u0e59\\u0e81-\\u0f00\\u0f18-\\u0f19\\u0f20-\\u0f29\\u0f35\\u0f37\\u0f39\\u0f3e-\\u0f84\\u0f86-\\u0fbc\\u0fc6\\u1000-\\u1049\\u1050-\\u109d\\u10a0-\\u10fa\\u10fd-\\u135f\\u1380-\\u138f\\u13a0-\\u13fd\\u1401-\\u166c\\u166f-\\u167f\\u1681-\\u169a\\u16a0-\\u16ea\\u16f1-\\u1734\\u1740-\\u17d3\\u17d7\\u17dc-\\u17e9\\u180b-\\u180d\\u180f-\\u193b\\u1946-\\u19d9\\u1a00-\\u1a1b\\u1a20-\\u1a99\\u1aa7\\u1ab0-\\u1b4c\\u1b50-\\u1b59\\u1b6b-\\u1b73\\u1b80-\\u1bf3\\u1c00-\\u1c37\\u1c40-\\u1c7d\\u1c80-\\u1cbf\\u1cd0-\\u1cd2\\u1cd4-\\u1eff\\u20d0-\\u20f0\\u2132\\u214e\\u2183-\\u2184\\u2c00-\\u2ce4\\u2ceb-\\u2cf3\\u2d00-\\u2d67\\u2d7f-\\u2dff\\u2e2f\\u3005-\\u3006\\u302a-\\u302f\\u3031-\\u3035\\u303b-\\u303c\\u3041-\\u309d\\u30a1-\\u30f6\\u30fc-\\u312f\\u31a0-\\u31bf\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\ua48c\\ua4d0-\\ua4fd\\ua500-\\ua60c\\ua610-\\ua672\\ua674-\\ua67d\\ua67f-\\ua6e5\\ua6f0-\\ua6f1\\ua717-\\ua71f\\ua722-\\ua788\\ua78b-\\ua827\\ua82c\\ua840-\\ua873\\ua880-\\ua8c5\\ua8d0-\\ua8f7\\ua8fb\\ua8fd-\\ua92d\\ua930-\\ua953\\ua960-\\ua9c0\\ua9cf-\\ua9d9\\ua9e0-\\uaa59\\uaa60-\\uaa76\\uaa7a-\\uaadd\\uaae0-\\uaaef\\uaaf2-\\uab5a\\uab60-\\uab68\\uab70-\\uabea\\uabec-\\ud7fb\\ufa0e-\\ufb1e\\ufe00-\\ufe2f\\ufe73\U00010000-\U000100fa\U000101fd-\U000102e0\U00010300-\U0001031f\U0001032d-\U00010340\U00010342-\U00010349\U00010350-\U0001039d\U000103a0-\U000103cf\U00010400-\U00010563\U00010570-\U00010855\U00010860-\U00010876\U00010880-\U0001089e\U000108e0-\U000108f5\U00010900-\U00010915\U00010920-\U00010939\U00010940-\U000109b7\U000109be-\U000109bf\U00010a00-\U00010a3f\U00010a60-\U00010a7c\U00010a80-\U00010a9c\U00010ac0-\U00010ac7\U00010ac9-\U00010ae6\U00010b00-\U00010b35\U00010b40-\U00010b55\U00010b60-\U00010b72\U00010b80-\U00010b91\U00010c00-\U00010cf2\U00010d00-\U00010d6d\U00010d6f-\U00010d85\U00010e80-\U00010eac\U00010eb0-\U00010ec7\U00010efa-\U00010f1c\U00010f27-\U00010f50\U00010f70-\U00010f85\U00010fb0-\U00010fc4\U00010fe0-\U00011046\U00011066-\U000110ba\U000110c2\U000110d0-\U0001113f\U00011144-\U00011173\U00011176-\U000111c4\U000111c9-\U000111cc\U000111ce-\U000111da\U000111dc\U00011200-\U00011237\U0001123e-\U000112a8\U000112b0-\U000113d3\U000113e1-\U0001144a\U00011450-\U00011459\U0001145e-\U000114c5\U000114c7-\U000115c0\U000115d8-\U00011640\U00011644-\U00011659\U00011680-\U000116b8\U000116c0-\U00011739\U00011740-\U0001183a\U000118a0-\U000118e9\U000118ff-\U00011943\U00011950-\U000119e1\U000119e3-\U00011a3e\U00011a47-\U00011a99\U00011a9d\U00011ab0-\U00011af8\U00011b60-\U00011be0\U00011bf0-\U00011c40\U00011c50-\U00011c59\U00011c72-\U00011ef6\U00011f00-\U00011f42\U00011f50-\U00011fb0\U00012000-\U00012399\U00012480-\U00012ff0\U00013000-\U0001342f\U00013440-\U00016a69\U00016a70-\U00016af4\U00016b00-\U00016b36\U00016b40-\U00016b43\U00016b50-\U00016b59\U00016b63-\U00016d6c\U00016d70-\U00016e7f\U00016ea0-\U00016fe1\U00016fe3-\U00016ff3\U00017000-\U0001bc99\U0001bc9d-\U0001bc9e\U0001cf00-\U0001cf46\U0001d165-\U0001d169\U0001d16d-\U0001d172\U0001d17b-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244\U0001da00-\U0001da36\U0001da3b-\U0001da6c\U0001da75\U0001da84\U0001da9b-\U0001e14e\U0001e290-\U0001e2f9\U0001e4d0-\U0001e5fa\U0001e6c0-\U0001e8c4\U0001e8d0-\U0001e959\U00020000-\U00033479\U000e0100-\U000e01ef]+');
end $$;

-- The words of a record as a tsvector. PostgreSQL's own `array_to_tsvector` does not check its limit of 1 MiB - 1 byte:
-- beyond it, words are mixed up, and a dump cannot be restored. 2,000 words of 100 characters fit in any case.
create function words_vector(words text[]) returns tsvector
language plpgsql immutable strict parallel safe set search_path = public, pg_temp as $$
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
end $$;

-- The expression that the words of a record match if each of these words begins one of them.
create function words_query(owner text, wanted_resource text, wanted text[]) returns tsquery
language plpgsql immutable parallel safe set search_path = public, pg_temp as $$
begin
  return (select string_agg(quote_literal(wanted_resource || '/' || owner || '/' || word) || ':*', ' & ')::tsquery
    from unnest(fold_words(array_to_string(wanted, ' '))) word);
end $$;

-- Ids of at most `most` records in which each of these words begins a word. Only records of the session's customer.
-- Matching a tsvector is not leakproof: under row level security no index would be used. So this runs as the owner.
-- Without `enable_seqscan`, because for a frequent word the planner would read the words of all customers.
create function find_by_words(owner text, wanted_resource text, wanted text[], most integer) returns setof text
language plpgsql stable security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  if owner is distinct from '*' and owner is distinct from nullif(current_setting('app.customer_id', true), '') then
    return;
  end if;
  return query select w.id from record_words w where w.words @@ words_query(owner, wanted_resource, wanted) limit most;
end $$;

grant execute on function find_by_words to certdata_reader, certdata_operator;

-- For tests of single records, which the primary key finds.
grant select on record_words to certdata_reader;
create policy reader on record_words for select to certdata_reader
  using (customer_id in (nullif(current_setting('app.customer_id', true), ''), '*'));
