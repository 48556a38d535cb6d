// Generated from the OpenAPI document by `npm run client:types`; not to be edited.

/** A value of a condition. Lists are joined with commas, which are escaped within a value. */
export type Value = string | number | boolean

/** A request for access to the API */
export type AccessRequest = {
  /** The company that asks for access */
  company: string
  /** Who asks */
  name: string
  /** The address for the answer */
  email: string
  /** What the access is for */
  message: string
  /** Consent to keep these data in order to answer the request. They are deleted after a set time */
  consent: true
}

/** Confirms that the request has arrived */
export type AccessRequestAnswer = {
  /** Id of the request, for questions about it */
  id: string
  /** The request is answered by this time: one business day after it arrived, in UTC */
  due_at: string
}

/** The approval of one product in one country under one scheme */
export type Approval = {
  /** The operator's stable id, unique per customer and resource */
  id: string
  /** The product */
  product_id: string
  /** The country (ISO 3166-1 alpha-2) */
  country_code: string
  /** Mark or scheme */
  scheme: string
  /** The project that works on it */
  project_id: string | null
  /** The certificate that it led to */
  certificate_id: string | null
  /** Where it stands; granted says it was given, not that it holds today. Known values: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required; more may come. */
  status: 'planned' | 'preparing' | 'testing' | 'submitted' | 'in_review' | 'information_requested' | 'on_hold' | 'granted' | 'rejected' | 'cancelled' | 'not_required' | (string & {})
  /** Which round it is. Known values: initial, renewal, modification; more may come. */
  phase: 'initial' | 'renewal' | 'modification' | (string & {}) | null
  /** Computed: true while somebody works on the approval */
  open: boolean
  /** Day it was requested */
  requested_on: string | null
  /** Day it went to the authority */
  submitted_on: string | null
  /** Day the authority decided */
  decided_on: string | null
  /** Day the decision is expected */
  expected_on: string | null
  /** Tags the customer or the operator chose */
  tags: string[]
  /** When the service first stored the record */
  created_at: string
  /** When the record last changed; not a key to synchronise by */
  updated_at: string
}

/** One record */
export type ApprovalAnswer = {
  data: Approval
  /** The related records that the parameter include asked for */
  included?: {
    /** Records by id. An id without a record is absent */
    products?: Record<string, Product>
    /** Records by id. An id without a record is absent */
    countries?: Record<string, Country>
    /** Records by id. An id without a record is absent */
    certificates?: Record<string, Certificate>
  }
}

/** A page of records */
export type ApprovalPage = {
  /** The records, in the order asked for */
  data: Approval[]
  page: PageInfo
  /** The related records that the parameter include asked for */
  included?: {
    /** Records by id. An id without a record is absent */
    products?: Record<string, Product>
    /** Records by id. An id without a record is absent */
    countries?: Record<string, Country>
    /** Records by id. An id without a record is absent */
    certificates?: Record<string, Certificate>
  }
}

/** An entry of the audit trail with its proof */
export type AuditEntry = {
  /** The number of the entry */
  id: string
  entry: AuditFacts
  proof: AuditProof
}

/** A page of records */
export type AuditEntryPage = {
  /** The records, in the order asked for */
  data: AuditEntry[]
  page: PageInfo
}

/** What happened. The leaf of the tree is the hash of this object */
export type AuditFacts = {
  /** What was done: `login`, `reads`, `keys.issue`, `customers.export` and others */
  action: string
  /** Who did it. `operator`: somebody at the certification house. Known values: key, operator, system, anonymous, demo; more may come. */
  actor: 'key' | 'operator' | 'system' | 'anonymous' | 'demo' | (string & {})
  /** When the entry was written */
  at: string
  /** The network of the client: /24 of IPv4, /48 of IPv6 */
  client: string | null
  /** The customer */
  customer: string | null
  /** More about the action. Of `reads`: the minute, the resource, a keyed hash of the query, the status, how many requests there were and how many records they got. `query` is null for reads of single records, and for all queries of a key beyond 100 in a minute */
  details: Record<string, unknown> | null
  /** Id of the API key */
  key: string | null
  /** Counts the entries of the customer from 1 without gaps: a missing number is a missing entry */
  number: number
  /** How it ended. Of `reads`: `refused` for each status of 400 or more, with which nobody got a record. Known values: ok, refused; more may come. */
  outcome: 'ok' | 'refused' | (string & {})
  /** The header Request-Id of the answer */
  request_id: string | null
  /** What it was done to: the id of a key, the name of an endpoint */
  subject: string | null
}

/** What leads from the entry to a signed root */
export type AuditProof = {
  /** Number of the signed root */
  root: number
  /** Place of the leaf in the tree, from 0 */
  index: number
  /** Hashed with the entry; base64url */
  salt: string
  /** Hashes beside the way to the root, the lowest first; base64url */
  path: string[]
}

/** A signed root of the tree of a minute */
export type AuditRoot = {
  /** The number of the root */
  id: string
  /** When it was made */
  at: string
  /** A JWS: number, time, root and size of the tree, head of the chain, hash of the statement before */
  statement: string
  key: AuditRootKey
}

/** The public key that signed it. The present one is in the key set, too */
export type AuditRootKey = {
  /** Always OKP */
  kty: string
  /** Always Ed25519 */
  crv: string
  /** The public key; base64url */
  x: string
  /** Id of the key, as in the header of the statement */
  kid: string
}

/** A page of records */
export type AuditRootPage = {
  /** The records, in the order asked for */
  data: AuditRoot[]
  page: PageInfo
}

/** A certificate that an authority issued */
export type Certificate = {
  /** The operator's stable id, unique per customer and resource */
  id: string
  /** The number as printed */
  number: string
  /** What was certified, in the words of the certificate */
  title: string
  /** The principal product */
  product_id: string | null
  /** The project it came from */
  project_id: string | null
  /** The principal approval */
  approval_id: string | null
  /** The certificate this one replaces */
  supersedes_id: string | null
  /** The principal country (ISO 3166-1 alpha-2) */
  country_code: string | null
  /** Abbreviation of the issuing authority */
  authority: string | null
  /** Mark or scheme */
  scheme: string | null
  /** Kind of document. Known values: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other; more may come. */
  certificate_type: 'type_approval' | 'declaration_of_conformity' | 'certificate_of_conformity' | 'registration' | 'safety_certificate' | 'module_approval' | 'other' | (string & {}) | null
  /** What the authority says of it. Known values: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded; more may come. */
  approval_status: 'pending' | 'approved' | 'conditional' | 'rejected' | 'suspended' | 'revoked' | 'withdrawn' | 'superseded' | (string & {})
  /** Computed for the day from status and dates. Known values: not_yet_valid, valid, expired, void; more may come. */
  validity: 'not_yet_valid' | 'valid' | 'expired' | 'void' | (string & {})
  /** True if the certificate is valid and ends within the customer's window */
  expiring: boolean
  /** Days to valid_until: 0 on the last day, negative after it, null when unlimited */
  days_remaining: number | null
  /** First day of the unbroken run of validity */
  valid_from: string | null
  /** Last day, inclusive; null = unlimited */
  valid_until: string | null
  /** Periods, oldest first */
  validity_periods: {
    /** First day of the period */
    from: string
    /** Last day of the period; null = unlimited */
    until: string | null
    /** What the period is based on. Known values: initial, renewal, extension; more may come. */
    basis: 'initial' | 'renewal' | 'extension' | (string & {})
  }[]
  /** Day of issue */
  issued_on: string | null
  /** The holder that it was issued to */
  holder: string | null
  /** Standards it attests */
  standards: string[]
  /** Tags the customer or the operator chose */
  tags: string[]
  /** Where the authority publishes it */
  source_url: string | null
  /** When the service first stored the record */
  created_at: string
  /** When the record last changed; not a key to synchronise by */
  updated_at: string
}

/** One record */
export type CertificateAnswer = {
  data: Certificate
  /** The related records that the parameter include asked for */
  included?: {
    /** Records by id. An id without a record is absent */
    products?: Record<string, Product>
    /** Records by id. An id without a record is absent */
    projects?: Record<string, Project>
    /** Records by id. An id without a record is absent */
    countries?: Record<string, Country>
  }
}

/** A page of records */
export type CertificatePage = {
  /** The records, in the order asked for */
  data: Certificate[]
  page: DayPageInfo
  /** The related records that the parameter include asked for */
  included?: {
    /** Records by id. An id without a record is absent */
    products?: Record<string, Product>
    /** Records by id. An id without a record is absent */
    projects?: Record<string, Project>
    /** Records by id. An id without a record is absent */
    countries?: Record<string, Country>
  }
}

/** A record to replace, or to remove */
export type Change = {
  /** What to do with the record of this id. Known values: upsert, delete; more may come. */
  op: 'upsert' | 'delete' | (string & {})
  /** The resource. Known values: certificates, products, projects, countries, lab, approvals; more may come. */
  resource: 'certificates' | 'products' | 'projects' | 'countries' | 'lab' | 'approvals' | (string & {})
  /** Id of the record */
  id: string
  /** Approximate time of the change, for information only */
  at: string
  /** Why the change comes: `day` or `settings` if the record was not written, `filter` if it no longer meets the filter. Absent if it was written. Known values: day, settings, filter; more may come. */
  cause?: 'day' | 'settings' | 'filter' | (string & {})
  /** The fields that differ from the state of the token. Absent where that cannot be told, as of a new record */
  changed?: string[]
  /** With `previous=true`: the values of these fields in the state of the token */
  previous?: Record<string, unknown>
  /** The record as it is now, whole or with the chosen fields, to take the place of the one at hand; null where that is to be removed. Its schema by its resource: certificates: Certificate, products: Product, projects: Project, countries: Country, lab: LabReport, approvals: Approval */
  data: Record<string, unknown> | null
}

/** What has changed for a follower */
export type Changes = {
  /** Changes, each record once; apply them in this order */
  data: Change[]
  page: ChangesPageInfo
}

/** The position in the feed */
export type ChangesPageInfo = {
  /** Whether further changes can be read at once */
  has_more: boolean
  /** Value of the parameter after for the next request. Always present, also without changes */
  next_token: string
}

/** A country's facts with this customer's view of it */
export type Country = {
  /** The same as code */
  id: string
  /** ISO 3166-1 alpha-2 */
  code: string
  /** ISO 3166-1 alpha-3 */
  alpha3: string
  /** English name */
  name: string
  /** Region. Known values: europe, americas, asia_pacific, middle_east_africa, cis; more may come. */
  region: 'europe' | 'americas' | 'asia_pacific' | 'middle_east_africa' | 'cis' | (string & {})
  /** Economic areas it belongs to */
  blocs: string[]
  /** The responsible authorities */
  authorities: {
    /** Full name */
    name: string
    /** Abbreviation */
    abbreviation: string | null
    /** Internet domain */
    domain: string | null
    /** What it is responsible for */
    role: string | null
  }[]
  /** The regulatory requirements; null = not known for sure */
  requirements: {
    /** Marks and schemes */
    schemes: string[]
    /** Whether tests must run in the country. Known values: required, sometimes, not_required; more may come. */
    in_country_testing: 'required' | 'sometimes' | 'not_required' | (string & {}) | null
    /** Whether a local representative must hold the approval. Known values: required, not_required; more may come. */
    local_representative: 'required' | 'not_required' | (string & {}) | null
    /** How long an approval holds */
    validity: {
      /** Known values: unlimited, fixed; more may come. */
      kind: 'unlimited' | 'fixed' | (string & {})
      years: number | null
    } | null
    /** Usual time to approval, in weeks */
    lead_time_weeks: {
      min: number | null
      max: number | null
    } | null
    /** What else to know */
    note: string | null
  }
  /** How many approvals and certificates this customer has there */
  approval_info: {
    /** The customer's granted approvals */
    granted: number
    /** The customer's open approvals */
    open: number
    /** Certificates valid on the day */
    certificates_valid: number
    /** Of these, expiring within the window */
    certificates_expiring: number
  }
  /** Pages the facts rest on */
  sources: string[]
  /** How reliable the facts are. Known values: high, medium, low; more may come. */
  confidence: 'high' | 'medium' | 'low' | (string & {})
  /** Day the facts were last reviewed */
  reviewed_on: string | null
  /** When the service first stored the record */
  created_at: string
  /** When the record last changed; not a key to synchronise by */
  updated_at: string
}

/** One record */
export type CountryAnswer = {
  data: Country
}

/** A page of records */
export type CountryPage = {
  /** The records, in the order asked for */
  data: Country[]
  page: DayPageInfo
}

/** The position of this page in the list, and the day of its computed fields */
export type DayPageInfo = {
  /** Records asked for */
  limit: number
  /** Whether another page follows */
  has_more: boolean
  /** Value of the parameter cursor for the next page; null on the last */
  next_cursor: string | null
  /** Number of all matching records, with count=exact */
  total?: number
  /** The day for which fields and conditions are computed */
  as_of: string
}

/** One fault of a request */
export type Fault = {
  /** The query parameter with the fault */
  parameter?: string
  /** The place of the fault in the body (RFC 6901) */
  pointer?: string
  /** What is wrong, for programs */
  code: string
  /** What was expected */
  detail: string
  /** The nearest valid name or value */
  did_you_mean?: string
}

/** A field of a record, before and after */
export type FieldChange = {
  /** The value before; null also where the record was not there */
  from: unknown
  /** The value after; null also where the record is gone */
  to: unknown
}

/** A change of a record */
export type HistoryEntry = {
  /** The resource. Known values: certificates, products, projects, countries, lab, approvals; more may come. */
  resource: 'certificates' | 'products' | 'projects' | 'countries' | 'lab' | 'approvals' | (string & {})
  /** Id of the record */
  id: string
  /** When it changed: the time at which its transaction began. The `updated_at` of the record from then on */
  at: string
  /** What happened to the record. Known values: create, update, delete; more may come. */
  op: 'create' | 'update' | 'delete' | (string & {})
  /** Nobody wrote the record: a new day (UTC) changed what is computed. Absent if it was written. Known values: day; more may come. */
  cause?: 'day' | (string & {})
  /** The fields that changed, by name; all that have a value where the record came or went */
  changes: Record<string, FieldChange>
}

/** A page of history */
export type HistoryPage = {
  /** Changes, the newest first */
  data: HistoryEntry[]
  page: HistoryPageInfo
}

/** The position of this page, and how far history reaches */
export type HistoryPageInfo = {
  /** Entries asked for */
  limit: number
  /** Whether another page follows */
  has_more: boolean
  /** Value of the parameter cursor for the next page; null on the last */
  next_cursor: string | null
  /** From when on history is complete. Nothing older is told */
  history_from: string
}

/** Facts about a token (RFC 7662) */
export type Introspection = {
  /** Whether the service accepts this token now */
  active: boolean
  /** What the token may do, space-separated */
  scope?: string
  /** Id of the API key */
  client_id?: string
  /** The same */
  sub?: string
  /** The customer whose records it reads */
  customer?: string
  /** How the token is sent: Authorization: Bearer <token> */
  token_type?: 'Bearer'
  /** Who issued it */
  iss?: string
  /** The service that the token is for */
  aud?: string
  /** Issued, in seconds since 1970 */
  iat?: number
  /** Not valid before this time, in seconds since 1970 */
  nbf?: number
  /** Good until, in seconds since 1970 */
  exp?: number
  /** Its own id */
  jti?: string
}

/** A laboratory's test report */
export type LabReport = {
  /** The operator's stable id, unique per customer and resource */
  id: string
  /** The number as printed */
  report_number: string
  /** Title of the report */
  title: string
  /** What was tested. Known values: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy; more may come. */
  test_type: 'radio' | 'emc' | 'safety' | 'sar' | 'environmental' | 'protocol' | 'cybersecurity' | 'energy' | (string & {}) | null
  /** Standards tested against */
  standards: string[]
  /** State of the report. Known values: planned, in_testing, draft, issued, superseded, withdrawn, cancelled; more may come. */
  status: 'planned' | 'in_testing' | 'draft' | 'issued' | 'superseded' | 'withdrawn' | 'cancelled' | (string & {})
  /** Verdict; null until issued. Known values: pass, fail, pass_with_deviation, inconclusive; more may come. */
  result: 'pass' | 'fail' | 'pass_with_deviation' | 'inconclusive' | (string & {}) | null
  /** Name of the laboratory */
  laboratory: string | null
  /** Country of the laboratory */
  laboratory_country_code: string | null
  /** The product tested */
  product_id: string | null
  /** The project it belongs to */
  project_id: string | null
  /** The certificate it supports */
  certificate_id: string | null
  /** The report this one replaces */
  supersedes_id: string | null
  /** First day of testing */
  tested_from: string | null
  /** Last day of testing */
  tested_until: string | null
  /** Day of issue */
  issued_on: string | null
  /** Revision of the report */
  revision: number
  /** Address of the document */
  document_url: string | null
  /** Tags the customer or the operator chose */
  tags: string[]
  /** When the service first stored the record */
  created_at: string
  /** When the record last changed; not a key to synchronise by */
  updated_at: string
}

/** One record */
export type LabReportAnswer = {
  data: LabReport
  /** The related records that the parameter include asked for */
  included?: {
    /** Records by id. An id without a record is absent */
    products?: Record<string, Product>
    /** Records by id. An id without a record is absent */
    certificates?: Record<string, Certificate>
  }
}

/** A page of records */
export type LabReportPage = {
  /** The records, in the order asked for */
  data: LabReport[]
  page: PageInfo
  /** The related records that the parameter include asked for */
  included?: {
    /** Records by id. An id without a record is absent */
    products?: Record<string, Product>
    /** Records by id. An id without a record is absent */
    certificates?: Record<string, Certificate>
  }
}

/** A quota policy and its present use */
export type Limit = {
  /** Name of the policy, as in the header RateLimit */
  policy: string
  /** Units that are allowed in any window of this length */
  quota: number
  /** Length of the window */
  window_seconds: number
  /** Units left */
  remaining: number
  /** Seconds until more is available */
  reset_seconds: number
}

/** An API key, to be exchanged for an access token */
export type LoginRequest = {
  /** The API key as it was issued: cda_live_<key id>_<secret> */
  api_key: string
}

/** The customer, the plan and what the token may do */
export type Me = {
  /** The customer that the token belongs to */
  data: {
    /** Id of the customer */
    customer: string
    /** The plan. Known values: basic, premium, enterprise; more may come. */
    plan: 'basic' | 'premium' | 'enterprise' | (string & {})
    /** What the token may do */
    scopes: string[]
    /** The quotas, and how many units are left */
    limits: Limit[]
    /** The customer's settings */
    settings: {
      /** Days before its end in which a certificate counts as expiring */
      expiring_within: number
    }
  }
}

/** A refusal in the form of OAuth (RFC 6749, section 5.2) */
export type OAuthError = {
  /** What is wrong: invalid_request, invalid_client, unauthorized_client, unsupported_grant_type, invalid_scope */
  error: string
  /** The error in words */
  error_description: string
  /** The page that explains the error */
  error_uri: string
}

/** The position of this page in the list */
export type PageInfo = {
  /** Records asked for */
  limit: number
  /** Whether another page follows */
  has_more: boolean
  /** Value of the parameter cursor for the next page; null on the last */
  next_cursor: string | null
  /** Number of all matching records, with count=exact */
  total?: number
}

/** An error (RFC 9457) */
export type Problem = {
  /** Identifies the problem; the page behind it explains it */
  type: string
  /** The problem in general, always in the same words */
  title: string
  /** The status of the answer */
  status: number
  /** The problem, for programs: the last part of its type */
  code: string
  /** The problem in this case */
  detail: string
  /** Same value as the header Request-Id. Absent if the request could not be read */
  request_id?: string
  /** Every fault that was found */
  errors?: Fault[]
  /** A suggested address, if every fault has a nearest valid name */
  try?: string
  /** The quota policies that have no room for the request (draft-ietf-httpapi-ratelimit-headers) */
  'violated-policies'?: string[]
}

/** A product of the customer */
export type Product = {
  /** The operator's stable id, unique per customer and resource */
  id: string
  /** Product name */
  name: string
  /** The customer's own article numbers and GTINs */
  part_numbers: string[]
  /** Model as type-approved */
  model: string | null
  /** Brand */
  brand: string | null
  /** Manufacturer */
  manufacturer: string | null
  /** State of the product. Known values: draft, in_development, active, phase_out, discontinued; more may come. */
  product_status: 'draft' | 'in_development' | 'active' | 'phase_out' | 'discontinued' | (string & {})
  /** Category, free text */
  category: string | null
  /** Radio technologies on board */
  technologies: ('wifi' | 'bluetooth' | 'cellular' | 'nfc' | 'uwb' | 'srd' | 'gnss' | 'radar' | 'lpwan' | 'satellite' | 'wireless_power' | (string & {}))[]
  /** Hardware version */
  hardware_version: string | null
  /** Software version */
  software_version: string | null
  /** The product this is a variant of */
  parent_product_id: string | null
  /** Tags the customer or the operator chose */
  tags: string[]
  /** When the service first stored the record */
  created_at: string
  /** When the record last changed; not a key to synchronise by */
  updated_at: string
}

/** One record */
export type ProductAnswer = {
  data: Product
}

/** A page of records */
export type ProductPage = {
  /** The records, in the order asked for */
  data: Product[]
  page: PageInfo
}

/** An order: these products into these countries */
export type Project = {
  /** The operator's stable id, unique per customer and resource */
  id: string
  /** The operator's project number */
  project_number: string
  /** The customer's own order reference */
  customer_reference: string | null
  /** What was ordered */
  title: string
  /** Where the project stands. Known values: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined; more may come. */
  status: 'draft' | 'quoted' | 'ordered' | 'in_progress' | 'on_hold' | 'completed' | 'cancelled' | 'declined' | (string & {})
  /** Kind of order. Known values: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting; more may come. */
  classification: 'new_certification' | 'renewal' | 'modification' | 'variant' | 'extension' | 'transfer' | 'pre_compliance' | 'testing' | 'consulting' | (string & {}) | null
  /** Products in the project */
  product_ids: string[]
  /** Countries in the project */
  country_codes: string[]
  /** Day of the order */
  ordered_on: string | null
  /** Day it is due */
  due_on: string | null
  /** Day it was completed */
  completed_on: string | null
  /** Tags the customer or the operator chose */
  tags: string[]
  /** When the service first stored the record */
  created_at: string
  /** When the record last changed; not a key to synchronise by */
  updated_at: string
}

/** One record */
export type ProjectAnswer = {
  data: Project
}

/** A page of records */
export type ProjectPage = {
  /** The records, in the order asked for */
  data: Project[]
  page: PageInfo
}

/** A public key that verifies access tokens */
export type PublicKey = {
  /** Key type (RFC 8037) */
  kty: 'OKP'
  /** Curve */
  crv: 'Ed25519'
  /** The public key, base64url */
  x: string
  /** Key id: the thumbprint (RFC 7638) */
  kid: string
  /** Algorithm */
  alg: 'EdDSA'
  /** Use */
  use: 'sig'
}

/** JSON Web Key Set (RFC 7517) */
export type PublicKeySet = {
  /** The key in use, and those before and after it */
  keys: PublicKey[]
}

/** An access token */
export type TokenAnswer = {
  /** The token for the Authorization header: a JWT (RFC 9068) that is valid for expires_in seconds */
  access_token: string
  /** How the token is sent: Authorization: Bearer <token> */
  token_type: 'Bearer'
  /** Lifetime of the token, in seconds */
  expires_in: number
  /** What the token may do, space-separated */
  scope: string
}

/** Client credentials (RFC 6749, section 4.4) */
export type TokenGrantRequest = {
  /** The only grant type */
  grant_type: 'client_credentials'
  /** Scopes for the token, separated by spaces. Absent: all scopes of the key */
  scope?: string
  /** Id of the API key, unless HTTP Basic has it */
  client_id?: string
  /** The API key, unless HTTP Basic has it or the client signs */
  client_secret?: string
  /** Of a client that signs: what client_assertion is (RFC 7523) */
  client_assertion_type?: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  /** Of a client that signs, in place of a secret: a JWT (private_key_jwt), which counts once */
  client_assertion?: string
}

/** A token to revoke or to examine */
export type TokenReference = {
  /** The access token; to revoke, also an API key */
  token: string
  /** Not needed and not read */
  token_type_hint?: string
  /** Id of the API key, unless HTTP Basic has it */
  client_id?: string
  /** The API key, unless HTTP Basic has it or the client signs */
  client_secret?: string
  /** Of a client that signs: what client_assertion is (RFC 7523) */
  client_assertion_type?: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  /** Of a client that signs, in place of a secret: a JWT (private_key_jwt), which counts once */
  client_assertion?: string
}

/** A public key that verifies webhooks */
export type WebhookKey = {
  /** Key type */
  kty: 'OKP'
  /** Curve (RFC 8037) */
  crv: 'Ed25519'
  /** Public key, base64url */
  x: string
  /** Thumbprint (RFC 7638) */
  kid: string
  /** Algorithm */
  alg: 'EdDSA'
  /** Use */
  use: 'sig'
  /** The same key as Standard Webhooks writes it */
  whpk: string
}

/** The public keys that verify webhooks */
export type WebhookKeySet = {
  /** One key; two while the service changes its keys. A message bears a signature by each */
  keys: WebhookKey[]
}

/** Tells that records changed */
export type WebhookMessage = {
  /** What the message is for. A test tells of no change. Known values: changes.available, webhook.test; more may come. */
  type: 'changes.available' | 'webhook.test' | (string & {})
  /** When the message was made. The same at each attempt */
  timestamp: string
  /** What changed, without the data */
  data: {
    /** Resources in which records changed */
    resources: string[]
    /** Value of `after` for `GET /v1/changes`. `snapshot`: the service cannot tell what changed. Absent in a test */
    after?: string
  }
}

/** What `/v1/history` takes. */
export type HistoryQuery = {
  /** Only these resources, comma-separated; each needs its scope. Absent: all that the token may read. */
  resource?: Value | readonly Value[]
  /** Only changes at or after this instant (2026-01-31T12:00:00Z) or day (UTC; also today-30d). This filters. To keep a copy up to date, follow /v1/changes: a transaction that commits late has an early time. */
  since?: Value
  /** Number of entries on a page. */
  limit?: number
  /** `page.next_cursor` of the answer before, unchanged, with the same parameters. Absent: the newest entries. */
  cursor?: Value
}

/** What `/v1/changes` takes. */
export type ChangesQuery = {
  /** `page.next_token` of the answer before, unchanged. `snapshot` streams the whole state as lines and gives the token to go on from in the header Sync-Token. Absent: begin now. */
  after?: Value
  /** Only these resources, comma-separated; each needs its scope. Absent: the token's, or all that the key may read. A token belongs to its resources. */
  resources?: Value | readonly Value[]
  /** Number of changes on a page. Not with `after=snapshot`. */
  limit?: number
  /** Seconds to hold an empty answer until a change arrives. The answer may come earlier and empty, with the same token. Not with `after=snapshot`; `HEAD` does not wait. */
  wait?: number
  /** Adds to each change of a record what the fields in `changed` were. Not with `after=snapshot`. */
  previous?: boolean
  /** The fields of each record, separated by commas. Only with one resource in `resources`. They belong to the token. */
  fields?: Value | readonly Value[]
  /** `id` is any of these. Of certificates, products, projects, countries, lab, approvals. */
  id?: Value | readonly Value[]
  /** `id` is none of these. Of certificates, products, projects, countries, lab, approvals. */
  'id[nin]'?: Value | readonly Value[]
  /** `id` is null (true) or not (false). Of certificates, products, projects, countries, lab, approvals. */
  'id[null]'?: boolean
  /** `number` is any of these. Of certificates. */
  number?: Value | readonly Value[]
  /** `number` is none of these. Of certificates. */
  'number[nin]'?: Value | readonly Value[]
  /** `number` begins with this. Of certificates. */
  'number[prefix]'?: Value
  /** `number` is null (true) or not (false). Of certificates. */
  'number[null]'?: boolean
  /** `product_id` is any of these. Of certificates, lab, approvals. */
  product_id?: Value | readonly Value[]
  /** `product_id` is none of these, or null. Of certificates, lab, approvals. */
  'product_id[nin]'?: Value | readonly Value[]
  /** `product_id` is null (true) or not (false). Of certificates, lab, approvals. */
  'product_id[null]'?: boolean
  /** `project_id` is any of these. Of certificates, lab, approvals. */
  project_id?: Value | readonly Value[]
  /** `project_id` is none of these, or null. Of certificates, lab, approvals. */
  'project_id[nin]'?: Value | readonly Value[]
  /** `project_id` is null (true) or not (false). Of certificates, lab, approvals. */
  'project_id[null]'?: boolean
  /** `approval_id` is any of these. Of certificates. */
  approval_id?: Value | readonly Value[]
  /** `approval_id` is none of these, or null. Of certificates. */
  'approval_id[nin]'?: Value | readonly Value[]
  /** `approval_id` is null (true) or not (false). Of certificates. */
  'approval_id[null]'?: boolean
  /** `country_code` is any of these. Of certificates, approvals. */
  country_code?: Value | readonly Value[]
  /** `country_code` is none of these, or null. Of certificates, approvals. */
  'country_code[nin]'?: Value | readonly Value[]
  /** `country_code` is null (true) or not (false). Of certificates, approvals. */
  'country_code[null]'?: boolean
  /** `authority` is any of these. Of certificates. */
  authority?: Value | readonly Value[]
  /** `authority` is none of these, or null. Of certificates. */
  'authority[nin]'?: Value | readonly Value[]
  /** `authority` is null (true) or not (false). Of certificates. */
  'authority[null]'?: boolean
  /** `scheme` is any of these. Of certificates, approvals. */
  scheme?: Value | readonly Value[]
  /** `scheme` is none of these, or null. Of certificates, approvals. */
  'scheme[nin]'?: Value | readonly Value[]
  /** `scheme` is null (true) or not (false). Of certificates, approvals. */
  'scheme[null]'?: boolean
  /** `certificate_type` is any of these. Of certificates. */
  certificate_type?: Value | readonly Value[]
  /** `certificate_type` is none of these, or null. Of certificates. */
  'certificate_type[nin]'?: Value | readonly Value[]
  /** `certificate_type` is null (true) or not (false). Of certificates. */
  'certificate_type[null]'?: boolean
  /** `approval_status` is any of these. Of certificates. */
  approval_status?: Value | readonly Value[]
  /** `approval_status` is none of these. Of certificates. */
  'approval_status[nin]'?: Value | readonly Value[]
  /** `approval_status` is null (true) or not (false). Of certificates. */
  'approval_status[null]'?: boolean
  /** `validity` is any of these. Of certificates. */
  validity?: Value | readonly Value[]
  /** `validity` is none of these. Of certificates. */
  'validity[nin]'?: Value | readonly Value[]
  /** `expiring` is any of these. Of certificates. */
  expiring?: Value | readonly Value[]
  /** `expiring` is none of these. Of certificates. */
  'expiring[nin]'?: Value | readonly Value[]
  /** `valid_from` is any of these. Of certificates. */
  valid_from?: Value | readonly Value[]
  /** `valid_from` is none of these, or null. Of certificates. */
  'valid_from[nin]'?: Value | readonly Value[]
  /** `valid_from` is greater than this. Of certificates. */
  'valid_from[gt]'?: Value
  /** `valid_from` is this or greater. Of certificates. */
  'valid_from[gte]'?: Value
  /** `valid_from` is less than this. Of certificates. */
  'valid_from[lt]'?: Value
  /** `valid_from` is this or less. Of certificates. */
  'valid_from[lte]'?: Value
  /** `valid_from` is null (true) or not (false). Of certificates. */
  'valid_from[null]'?: boolean
  /** `valid_until` is any of these. Of certificates. */
  valid_until?: Value | readonly Value[]
  /** `valid_until` is none of these, or null. Of certificates. */
  'valid_until[nin]'?: Value | readonly Value[]
  /** `valid_until` is greater than this. Of certificates. */
  'valid_until[gt]'?: Value
  /** `valid_until` is this or greater. Of certificates. */
  'valid_until[gte]'?: Value
  /** `valid_until` is less than this. Of certificates. */
  'valid_until[lt]'?: Value
  /** `valid_until` is this or less. Of certificates. */
  'valid_until[lte]'?: Value
  /** `valid_until` is null (true) or not (false). Of certificates. */
  'valid_until[null]'?: boolean
  /** `issued_on` is any of these. Of certificates, lab. */
  issued_on?: Value | readonly Value[]
  /** `issued_on` is none of these, or null. Of certificates, lab. */
  'issued_on[nin]'?: Value | readonly Value[]
  /** `issued_on` is greater than this. Of certificates, lab. */
  'issued_on[gt]'?: Value
  /** `issued_on` is this or greater. Of certificates, lab. */
  'issued_on[gte]'?: Value
  /** `issued_on` is less than this. Of certificates, lab. */
  'issued_on[lt]'?: Value
  /** `issued_on` is this or less. Of certificates, lab. */
  'issued_on[lte]'?: Value
  /** `issued_on` is null (true) or not (false). Of certificates, lab. */
  'issued_on[null]'?: boolean
  /** `standards` contains any of these. Of certificates, lab. */
  standards?: Value | readonly Value[]
  /** `standards` contains none of these. Of certificates, lab. */
  'standards[nin]'?: Value | readonly Value[]
  /** `standards` contains every one of these. Of certificates, lab. */
  'standards[all]'?: Value | readonly Value[]
  /** `tags` contains any of these. Of certificates, products, projects, lab, approvals. */
  tags?: Value | readonly Value[]
  /** `tags` contains none of these. Of certificates, products, projects, lab, approvals. */
  'tags[nin]'?: Value | readonly Value[]
  /** `tags` contains every one of these. Of certificates, products, projects, lab, approvals. */
  'tags[all]'?: Value | readonly Value[]
  /** `created_at` is any of these. Of certificates, products, projects, lab, approvals. */
  created_at?: Value | readonly Value[]
  /** `created_at` is none of these. Of certificates, products, projects, lab, approvals. */
  'created_at[nin]'?: Value | readonly Value[]
  /** `created_at` is greater than this. Of certificates, products, projects, lab, approvals. */
  'created_at[gt]'?: Value
  /** `created_at` is this or greater. Of certificates, products, projects, lab, approvals. */
  'created_at[gte]'?: Value
  /** `created_at` is less than this. Of certificates, products, projects, lab, approvals. */
  'created_at[lt]'?: Value
  /** `created_at` is this or less. Of certificates, products, projects, lab, approvals. */
  'created_at[lte]'?: Value
  /** `created_at` is null (true) or not (false). Of certificates, products, projects, lab, approvals. */
  'created_at[null]'?: boolean
  /** `updated_at` is any of these. Of certificates, products, projects, countries, lab, approvals. */
  updated_at?: Value | readonly Value[]
  /** `updated_at` is none of these. Of certificates, products, projects, countries, lab, approvals. */
  'updated_at[nin]'?: Value | readonly Value[]
  /** `updated_at` is greater than this. Of certificates, products, projects, countries, lab, approvals. */
  'updated_at[gt]'?: Value
  /** `updated_at` is this or greater. Of certificates, products, projects, countries, lab, approvals. */
  'updated_at[gte]'?: Value
  /** `updated_at` is less than this. Of certificates, products, projects, countries, lab, approvals. */
  'updated_at[lt]'?: Value
  /** `updated_at` is this or less. Of certificates, products, projects, countries, lab, approvals. */
  'updated_at[lte]'?: Value
  /** `updated_at` is null (true) or not (false). Of certificates, products, projects, countries, lab, approvals. */
  'updated_at[null]'?: boolean
  /** `name` is any of these. Of products, countries. */
  name?: Value | readonly Value[]
  /** `name` is none of these. Of products, countries. */
  'name[nin]'?: Value | readonly Value[]
  /** `name` begins with this. Of products, countries. */
  'name[prefix]'?: Value
  /** `name` is null (true) or not (false). Of products, countries. */
  'name[null]'?: boolean
  /** `part_numbers` contains any of these. Of products. */
  part_numbers?: Value | readonly Value[]
  /** `part_numbers` contains none of these. Of products. */
  'part_numbers[nin]'?: Value | readonly Value[]
  /** `part_numbers` contains every one of these. Of products. */
  'part_numbers[all]'?: Value | readonly Value[]
  /** `model` is any of these. Of products. */
  model?: Value | readonly Value[]
  /** `model` is none of these, or null. Of products. */
  'model[nin]'?: Value | readonly Value[]
  /** `model` begins with this. Of products. */
  'model[prefix]'?: Value
  /** `model` is null (true) or not (false). Of products. */
  'model[null]'?: boolean
  /** `brand` is any of these. Of products. */
  brand?: Value | readonly Value[]
  /** `brand` is none of these, or null. Of products. */
  'brand[nin]'?: Value | readonly Value[]
  /** `brand` is null (true) or not (false). Of products. */
  'brand[null]'?: boolean
  /** `product_status` is any of these. Of products. */
  product_status?: Value | readonly Value[]
  /** `product_status` is none of these. Of products. */
  'product_status[nin]'?: Value | readonly Value[]
  /** `product_status` is null (true) or not (false). Of products. */
  'product_status[null]'?: boolean
  /** `category` is any of these. Of products. */
  category?: Value | readonly Value[]
  /** `category` is none of these, or null. Of products. */
  'category[nin]'?: Value | readonly Value[]
  /** `category` is null (true) or not (false). Of products. */
  'category[null]'?: boolean
  /** `technologies` contains any of these. Of products. */
  technologies?: Value | readonly Value[]
  /** `technologies` contains none of these. Of products. */
  'technologies[nin]'?: Value | readonly Value[]
  /** `technologies` contains every one of these. Of products. */
  'technologies[all]'?: Value | readonly Value[]
  /** `parent_product_id` is any of these. Of products. */
  parent_product_id?: Value | readonly Value[]
  /** `parent_product_id` is none of these, or null. Of products. */
  'parent_product_id[nin]'?: Value | readonly Value[]
  /** `parent_product_id` is null (true) or not (false). Of products. */
  'parent_product_id[null]'?: boolean
  /** `project_number` is any of these. Of projects. */
  project_number?: Value | readonly Value[]
  /** `project_number` is none of these. Of projects. */
  'project_number[nin]'?: Value | readonly Value[]
  /** `project_number` begins with this. Of projects. */
  'project_number[prefix]'?: Value
  /** `project_number` is null (true) or not (false). Of projects. */
  'project_number[null]'?: boolean
  /** `customer_reference` is any of these. Of projects. */
  customer_reference?: Value | readonly Value[]
  /** `customer_reference` is none of these, or null. Of projects. */
  'customer_reference[nin]'?: Value | readonly Value[]
  /** `customer_reference` is null (true) or not (false). Of projects. */
  'customer_reference[null]'?: boolean
  /** `status` is any of these. Of projects, lab, approvals. */
  status?: Value | readonly Value[]
  /** `status` is none of these. Of projects, lab, approvals. */
  'status[nin]'?: Value | readonly Value[]
  /** `status` is null (true) or not (false). Of projects, lab, approvals. */
  'status[null]'?: boolean
  /** `classification` is any of these. Of projects. */
  classification?: Value | readonly Value[]
  /** `classification` is none of these, or null. Of projects. */
  'classification[nin]'?: Value | readonly Value[]
  /** `classification` is null (true) or not (false). Of projects. */
  'classification[null]'?: boolean
  /** `product_ids` contains any of these. Of projects. */
  product_ids?: Value | readonly Value[]
  /** `product_ids` contains none of these. Of projects. */
  'product_ids[nin]'?: Value | readonly Value[]
  /** `product_ids` contains every one of these. Of projects. */
  'product_ids[all]'?: Value | readonly Value[]
  /** `country_codes` contains any of these. Of projects. */
  country_codes?: Value | readonly Value[]
  /** `country_codes` contains none of these. Of projects. */
  'country_codes[nin]'?: Value | readonly Value[]
  /** `country_codes` contains every one of these. Of projects. */
  'country_codes[all]'?: Value | readonly Value[]
  /** `ordered_on` is any of these. Of projects. */
  ordered_on?: Value | readonly Value[]
  /** `ordered_on` is none of these, or null. Of projects. */
  'ordered_on[nin]'?: Value | readonly Value[]
  /** `ordered_on` is greater than this. Of projects. */
  'ordered_on[gt]'?: Value
  /** `ordered_on` is this or greater. Of projects. */
  'ordered_on[gte]'?: Value
  /** `ordered_on` is less than this. Of projects. */
  'ordered_on[lt]'?: Value
  /** `ordered_on` is this or less. Of projects. */
  'ordered_on[lte]'?: Value
  /** `ordered_on` is null (true) or not (false). Of projects. */
  'ordered_on[null]'?: boolean
  /** `due_on` is any of these. Of projects. */
  due_on?: Value | readonly Value[]
  /** `due_on` is none of these, or null. Of projects. */
  'due_on[nin]'?: Value | readonly Value[]
  /** `due_on` is greater than this. Of projects. */
  'due_on[gt]'?: Value
  /** `due_on` is this or greater. Of projects. */
  'due_on[gte]'?: Value
  /** `due_on` is less than this. Of projects. */
  'due_on[lt]'?: Value
  /** `due_on` is this or less. Of projects. */
  'due_on[lte]'?: Value
  /** `due_on` is null (true) or not (false). Of projects. */
  'due_on[null]'?: boolean
  /** `completed_on` is any of these. Of projects. */
  completed_on?: Value | readonly Value[]
  /** `completed_on` is none of these, or null. Of projects. */
  'completed_on[nin]'?: Value | readonly Value[]
  /** `completed_on` is greater than this. Of projects. */
  'completed_on[gt]'?: Value
  /** `completed_on` is this or greater. Of projects. */
  'completed_on[gte]'?: Value
  /** `completed_on` is less than this. Of projects. */
  'completed_on[lt]'?: Value
  /** `completed_on` is this or less. Of projects. */
  'completed_on[lte]'?: Value
  /** `completed_on` is null (true) or not (false). Of projects. */
  'completed_on[null]'?: boolean
  /** `code` is any of these. Of countries. */
  code?: Value | readonly Value[]
  /** `code` is none of these. Of countries. */
  'code[nin]'?: Value | readonly Value[]
  /** `code` is null (true) or not (false). Of countries. */
  'code[null]'?: boolean
  /** `alpha3` is any of these. Of countries. */
  alpha3?: Value | readonly Value[]
  /** `alpha3` is none of these. Of countries. */
  'alpha3[nin]'?: Value | readonly Value[]
  /** `alpha3` is null (true) or not (false). Of countries. */
  'alpha3[null]'?: boolean
  /** `region` is any of these. Of countries. */
  region?: Value | readonly Value[]
  /** `region` is none of these. Of countries. */
  'region[nin]'?: Value | readonly Value[]
  /** `region` is null (true) or not (false). Of countries. */
  'region[null]'?: boolean
  /** `blocs` contains any of these. Of countries. */
  blocs?: Value | readonly Value[]
  /** `blocs` contains none of these. Of countries. */
  'blocs[nin]'?: Value | readonly Value[]
  /** `blocs` contains every one of these. Of countries. */
  'blocs[all]'?: Value | readonly Value[]
  /** `report_number` is any of these. Of lab. */
  report_number?: Value | readonly Value[]
  /** `report_number` is none of these. Of lab. */
  'report_number[nin]'?: Value | readonly Value[]
  /** `report_number` begins with this. Of lab. */
  'report_number[prefix]'?: Value
  /** `report_number` is null (true) or not (false). Of lab. */
  'report_number[null]'?: boolean
  /** `test_type` is any of these. Of lab. */
  test_type?: Value | readonly Value[]
  /** `test_type` is none of these, or null. Of lab. */
  'test_type[nin]'?: Value | readonly Value[]
  /** `test_type` is null (true) or not (false). Of lab. */
  'test_type[null]'?: boolean
  /** `result` is any of these. Of lab. */
  result?: Value | readonly Value[]
  /** `result` is none of these, or null. Of lab. */
  'result[nin]'?: Value | readonly Value[]
  /** `result` is null (true) or not (false). Of lab. */
  'result[null]'?: boolean
  /** `laboratory` is any of these. Of lab. */
  laboratory?: Value | readonly Value[]
  /** `laboratory` is none of these, or null. Of lab. */
  'laboratory[nin]'?: Value | readonly Value[]
  /** `laboratory` is null (true) or not (false). Of lab. */
  'laboratory[null]'?: boolean
  /** `certificate_id` is any of these. Of lab, approvals. */
  certificate_id?: Value | readonly Value[]
  /** `certificate_id` is none of these, or null. Of lab, approvals. */
  'certificate_id[nin]'?: Value | readonly Value[]
  /** `certificate_id` is null (true) or not (false). Of lab, approvals. */
  'certificate_id[null]'?: boolean
  /** `open` is any of these. Of approvals. */
  open?: Value | readonly Value[]
  /** `open` is none of these. Of approvals. */
  'open[nin]'?: Value | readonly Value[]
  /** `requested_on` is any of these. Of approvals. */
  requested_on?: Value | readonly Value[]
  /** `requested_on` is none of these, or null. Of approvals. */
  'requested_on[nin]'?: Value | readonly Value[]
  /** `requested_on` is greater than this. Of approvals. */
  'requested_on[gt]'?: Value
  /** `requested_on` is this or greater. Of approvals. */
  'requested_on[gte]'?: Value
  /** `requested_on` is less than this. Of approvals. */
  'requested_on[lt]'?: Value
  /** `requested_on` is this or less. Of approvals. */
  'requested_on[lte]'?: Value
  /** `requested_on` is null (true) or not (false). Of approvals. */
  'requested_on[null]'?: boolean
  /** `submitted_on` is any of these. Of approvals. */
  submitted_on?: Value | readonly Value[]
  /** `submitted_on` is none of these, or null. Of approvals. */
  'submitted_on[nin]'?: Value | readonly Value[]
  /** `submitted_on` is greater than this. Of approvals. */
  'submitted_on[gt]'?: Value
  /** `submitted_on` is this or greater. Of approvals. */
  'submitted_on[gte]'?: Value
  /** `submitted_on` is less than this. Of approvals. */
  'submitted_on[lt]'?: Value
  /** `submitted_on` is this or less. Of approvals. */
  'submitted_on[lte]'?: Value
  /** `submitted_on` is null (true) or not (false). Of approvals. */
  'submitted_on[null]'?: boolean
  /** `decided_on` is any of these. Of approvals. */
  decided_on?: Value | readonly Value[]
  /** `decided_on` is none of these, or null. Of approvals. */
  'decided_on[nin]'?: Value | readonly Value[]
  /** `decided_on` is greater than this. Of approvals. */
  'decided_on[gt]'?: Value
  /** `decided_on` is this or greater. Of approvals. */
  'decided_on[gte]'?: Value
  /** `decided_on` is less than this. Of approvals. */
  'decided_on[lt]'?: Value
  /** `decided_on` is this or less. Of approvals. */
  'decided_on[lte]'?: Value
  /** `decided_on` is null (true) or not (false). Of approvals. */
  'decided_on[null]'?: boolean
  /** `expected_on` is any of these. Of approvals. */
  expected_on?: Value | readonly Value[]
  /** `expected_on` is none of these, or null. Of approvals. */
  'expected_on[nin]'?: Value | readonly Value[]
  /** `expected_on` is greater than this. Of approvals. */
  'expected_on[gt]'?: Value
  /** `expected_on` is this or greater. Of approvals. */
  'expected_on[gte]'?: Value
  /** `expected_on` is less than this. Of approvals. */
  'expected_on[lt]'?: Value
  /** `expected_on` is this or less. Of approvals. */
  'expected_on[lte]'?: Value
  /** `expected_on` is null (true) or not (false). Of approvals. */
  'expected_on[null]'?: boolean
}

/** What `/v1/audit` takes. */
export type AuditQuery = {
  /** From this instant, day (UTC) or relative day on. */
  since?: Value
  /** Before this instant, day (UTC) or relative day. */
  until?: Value
  /** Only these actions, comma-separated. */
  action?: Value | readonly Value[]
  /** Only entries of these API keys, by id, comma-separated. */
  key?: Value | readonly Value[]
  /** Only entries that ended so: `ok` or `refused`. */
  outcome?: Value | readonly Value[]
  /** Only after the root of this number. To go on where you ended, give the newest root you have. */
  after_root?: Value
  /** Number of rows on a page. An export has no limit unless this is given. */
  limit?: number
  /** `page.next_cursor` of the answer before, unchanged, with the same filters. Not with an export. */
  cursor?: Value
}

/** What `/v1/audit/roots` takes. */
export type AuditRootsQuery = {
  /** Only roots of these numbers, comma-separated. */
  id?: Value | readonly Value[]
  /** From this instant, day (UTC) or relative day on. */
  since?: Value
  /** Before this instant, day (UTC) or relative day. */
  until?: Value
  /** Only after the root of this number. To go on where you ended, give the newest root you have. */
  after_root?: Value
  /** Number of rows on a page. An export has no limit unless this is given. */
  limit?: number
  /** `page.next_cursor` of the answer before, unchanged, with the same filters. Not with an export. */
  cursor?: Value
}

/** What each resource answers and takes. */
export type Resources = {
  certificates: {
    record: Certificate
    page: CertificatePage
    answer: CertificateAnswer
    query: {
      /** `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      id?: Value | readonly Value[]
      /** `id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'id[eq]'?: Value
      /** `id` is not this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'id[ne]'?: Value
      /** `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'id[in]'?: Value | readonly Value[]
      /** `id` is none of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'id[nin]'?: Value | readonly Value[]
      /** `id` is null (true) or not (false). */
      'id[null]'?: boolean
      /** `number` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      number?: Value | readonly Value[]
      /** `number` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'number[eq]'?: Value
      /** `number` is not this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'number[ne]'?: Value
      /** `number` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'number[in]'?: Value | readonly Value[]
      /** `number` is none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'number[nin]'?: Value | readonly Value[]
      /** `number` begins with this. The value is at least one character, at most 2000 bytes, without U+0000. */
      'number[prefix]'?: Value
      /** `number` is null (true) or not (false). */
      'number[null]'?: boolean
      /** `product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      product_id?: Value | readonly Value[]
      /** `product_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'product_id[eq]'?: Value
      /** `product_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'product_id[ne]'?: Value
      /** `product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'product_id[in]'?: Value | readonly Value[]
      /** `product_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'product_id[nin]'?: Value | readonly Value[]
      /** `product_id` is null (true) or not (false). */
      'product_id[null]'?: boolean
      /** `project_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      project_id?: Value | readonly Value[]
      /** `project_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'project_id[eq]'?: Value
      /** `project_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'project_id[ne]'?: Value
      /** `project_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'project_id[in]'?: Value | readonly Value[]
      /** `project_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'project_id[nin]'?: Value | readonly Value[]
      /** `project_id` is null (true) or not (false). */
      'project_id[null]'?: boolean
      /** `approval_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      approval_id?: Value | readonly Value[]
      /** `approval_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'approval_id[eq]'?: Value
      /** `approval_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'approval_id[ne]'?: Value
      /** `approval_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'approval_id[in]'?: Value | readonly Value[]
      /** `approval_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'approval_id[nin]'?: Value | readonly Value[]
      /** `approval_id` is null (true) or not (false). */
      'approval_id[null]'?: boolean
      /** `country_code` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      country_code?: Value | readonly Value[]
      /** `country_code` is this. The value is an ISO 3166-1 alpha-2 code in capitals. */
      'country_code[eq]'?: Value
      /** `country_code` is not this, or null. The value is an ISO 3166-1 alpha-2 code in capitals. */
      'country_code[ne]'?: Value
      /** `country_code` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      'country_code[in]'?: Value | readonly Value[]
      /** `country_code` is none of these, or null. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      'country_code[nin]'?: Value | readonly Value[]
      /** `country_code` is null (true) or not (false). */
      'country_code[null]'?: boolean
      /** `authority` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      authority?: Value | readonly Value[]
      /** `authority` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'authority[eq]'?: Value
      /** `authority` is not this, or null. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'authority[ne]'?: Value
      /** `authority` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'authority[in]'?: Value | readonly Value[]
      /** `authority` is none of these, or null. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'authority[nin]'?: Value | readonly Value[]
      /** `authority` is null (true) or not (false). */
      'authority[null]'?: boolean
      /** `scheme` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      scheme?: Value | readonly Value[]
      /** `scheme` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'scheme[eq]'?: Value
      /** `scheme` is not this, or null. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'scheme[ne]'?: Value
      /** `scheme` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'scheme[in]'?: Value | readonly Value[]
      /** `scheme` is none of these, or null. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'scheme[nin]'?: Value | readonly Value[]
      /** `scheme` is null (true) or not (false). */
      'scheme[null]'?: boolean
      /** `certificate_type` is any of these. Each is one of: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other. At most 200, comma-separated; `\,` is a comma within one. */
      certificate_type?: Value | readonly Value[]
      /** `certificate_type` is this. The value is one of: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other. */
      'certificate_type[eq]'?: Value
      /** `certificate_type` is not this, or null. The value is one of: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other. */
      'certificate_type[ne]'?: Value
      /** `certificate_type` is any of these. Each is one of: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other. At most 200, comma-separated; `\,` is a comma within one. */
      'certificate_type[in]'?: Value | readonly Value[]
      /** `certificate_type` is none of these, or null. Each is one of: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other. At most 200, comma-separated; `\,` is a comma within one. */
      'certificate_type[nin]'?: Value | readonly Value[]
      /** `certificate_type` is null (true) or not (false). */
      'certificate_type[null]'?: boolean
      /** `approval_status` is any of these. Each is one of: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded. At most 200, comma-separated; `\,` is a comma within one. */
      approval_status?: Value | readonly Value[]
      /** `approval_status` is this. The value is one of: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded. */
      'approval_status[eq]'?: Value
      /** `approval_status` is not this. The value is one of: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded. */
      'approval_status[ne]'?: Value
      /** `approval_status` is any of these. Each is one of: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded. At most 200, comma-separated; `\,` is a comma within one. */
      'approval_status[in]'?: Value | readonly Value[]
      /** `approval_status` is none of these. Each is one of: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded. At most 200, comma-separated; `\,` is a comma within one. */
      'approval_status[nin]'?: Value | readonly Value[]
      /** `approval_status` is null (true) or not (false). */
      'approval_status[null]'?: boolean
      /** `validity` is any of these. Each is one of: not_yet_valid, valid, expired, void. At most 200, comma-separated; `\,` is a comma within one. */
      validity?: Value | readonly Value[]
      /** `validity` is this. The value is one of: not_yet_valid, valid, expired, void. */
      'validity[eq]'?: Value
      /** `validity` is not this. The value is one of: not_yet_valid, valid, expired, void. */
      'validity[ne]'?: Value
      /** `validity` is any of these. Each is one of: not_yet_valid, valid, expired, void. At most 200, comma-separated; `\,` is a comma within one. */
      'validity[in]'?: Value | readonly Value[]
      /** `validity` is none of these. Each is one of: not_yet_valid, valid, expired, void. At most 200, comma-separated; `\,` is a comma within one. */
      'validity[nin]'?: Value | readonly Value[]
      /** `expiring` is any of these. Each is one of: true, false. At most 200, comma-separated; `\,` is a comma within one. */
      expiring?: Value | readonly Value[]
      /** `expiring` is this. The value is one of: true, false. */
      'expiring[eq]'?: Value
      /** `expiring` is not this. The value is one of: true, false. */
      'expiring[ne]'?: Value
      /** `expiring` is any of these. Each is one of: true, false. At most 200, comma-separated; `\,` is a comma within one. */
      'expiring[in]'?: Value | readonly Value[]
      /** `expiring` is none of these. Each is one of: true, false. At most 200, comma-separated; `\,` is a comma within one. */
      'expiring[nin]'?: Value | readonly Value[]
      /** `valid_from` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      valid_from?: Value | readonly Value[]
      /** `valid_from` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'valid_from[eq]'?: Value
      /** `valid_from` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'valid_from[ne]'?: Value
      /** `valid_from` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'valid_from[in]'?: Value | readonly Value[]
      /** `valid_from` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'valid_from[nin]'?: Value | readonly Value[]
      /** `valid_from` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'valid_from[gt]'?: Value
      /** `valid_from` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'valid_from[gte]'?: Value
      /** `valid_from` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'valid_from[lt]'?: Value
      /** `valid_from` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'valid_from[lte]'?: Value
      /** `valid_from` is null (true) or not (false). */
      'valid_from[null]'?: boolean
      /** `valid_until` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      valid_until?: Value | readonly Value[]
      /** `valid_until` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'valid_until[eq]'?: Value
      /** `valid_until` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'valid_until[ne]'?: Value
      /** `valid_until` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'valid_until[in]'?: Value | readonly Value[]
      /** `valid_until` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'valid_until[nin]'?: Value | readonly Value[]
      /** `valid_until` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'valid_until[gt]'?: Value
      /** `valid_until` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'valid_until[gte]'?: Value
      /** `valid_until` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'valid_until[lt]'?: Value
      /** `valid_until` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'valid_until[lte]'?: Value
      /** `valid_until` is null (true) or not (false). */
      'valid_until[null]'?: boolean
      /** `issued_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      issued_on?: Value | readonly Value[]
      /** `issued_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'issued_on[eq]'?: Value
      /** `issued_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'issued_on[ne]'?: Value
      /** `issued_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'issued_on[in]'?: Value | readonly Value[]
      /** `issued_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'issued_on[nin]'?: Value | readonly Value[]
      /** `issued_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'issued_on[gt]'?: Value
      /** `issued_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'issued_on[gte]'?: Value
      /** `issued_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'issued_on[lt]'?: Value
      /** `issued_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'issued_on[lte]'?: Value
      /** `issued_on` is null (true) or not (false). */
      'issued_on[null]'?: boolean
      /** `standards` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      standards?: Value | readonly Value[]
      /** `standards` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'standards[eq]'?: Value
      /** `standards` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'standards[ne]'?: Value
      /** `standards` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'standards[in]'?: Value | readonly Value[]
      /** `standards` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'standards[nin]'?: Value | readonly Value[]
      /** `standards` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'standards[all]'?: Value | readonly Value[]
      /** `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      tags?: Value | readonly Value[]
      /** `tags` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'tags[eq]'?: Value
      /** `tags` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'tags[ne]'?: Value
      /** `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[in]'?: Value | readonly Value[]
      /** `tags` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[nin]'?: Value | readonly Value[]
      /** `tags` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[all]'?: Value | readonly Value[]
      /** `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      created_at?: Value | readonly Value[]
      /** `created_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[eq]'?: Value
      /** `created_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[ne]'?: Value
      /** `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'created_at[in]'?: Value | readonly Value[]
      /** `created_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'created_at[nin]'?: Value | readonly Value[]
      /** `created_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[gt]'?: Value
      /** `created_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[gte]'?: Value
      /** `created_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[lt]'?: Value
      /** `created_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[lte]'?: Value
      /** `created_at` is null (true) or not (false). */
      'created_at[null]'?: boolean
      /** `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      updated_at?: Value | readonly Value[]
      /** `updated_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[eq]'?: Value
      /** `updated_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[ne]'?: Value
      /** `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'updated_at[in]'?: Value | readonly Value[]
      /** `updated_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'updated_at[nin]'?: Value | readonly Value[]
      /** `updated_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[gt]'?: Value
      /** `updated_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[gte]'?: Value
      /** `updated_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[lt]'?: Value
      /** `updated_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[lte]'?: Value
      /** `updated_at` is null (true) or not (false). */
      'updated_at[null]'?: boolean
      /** The fields to answer, separated by commas; `id` is always included. Absent: all fields. */
      fields?: Value | readonly Value[]
      /** Adds these related records under `included`, by id; separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `project` needs projects:read, `country` needs countries:read. */
      include?: Value | readonly Value[]
      /** Computes for this day instead of today, with today's statuses: YYYY-MM-DD, or today, today+90d, today-30d. */
      on?: Value
      /** Days before its end in which a certificate counts as expiring. Absent: the customer's setting. */
      expiring_within?: number
      /** Records in which each of these words begins a word of `number`, `title`, `holder`. Case and accents do not matter. 1 to 5 words of two letters or digits at least; anything else ends a word. */
      q?: Value | readonly Value[]
      /** At most 3 keys, comma-separated, each once; a leading - reverses. One of: valid_until, valid_from, issued_on, number, updated_at, created_at. Null is the greatest value; `id` breaks ties. */
      sort?: Value | readonly Value[]
      /** Number of records on a page. An export has no limit unless this is given. */
      limit?: number
      /** Adds `page.total`, the number of all matching records. Not with an export. */
      count?: 'exact'
      /** `page.next_cursor` of the answer before, unchanged, with the same filters and sort. Absent: the first page. Not with an export. */
      cursor?: Value
    }
    itemQuery: {
      /** The fields to answer, separated by commas; `id` is always included. Absent: all fields. */
      fields?: Value | readonly Value[]
      /** Adds these related records under `included`, by id; separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `project` needs projects:read, `country` needs countries:read. */
      include?: Value | readonly Value[]
      /** Computes for this day instead of today, with today's statuses: YYYY-MM-DD, or today, today+90d, today-30d. */
      on?: Value
      /** Days before its end in which a certificate counts as expiring. Absent: the customer's setting. */
      expiring_within?: number
      /** Shows the certificate as it stood at the end of this day (UTC), as far as history reaches: YYYY-MM-DD, or today-30d. Not with `on` and `include`. */
      as_of?: Value
    }
  }
  products: {
    record: Product
    page: ProductPage
    answer: ProductAnswer
    query: {
      /** `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      id?: Value | readonly Value[]
      /** `id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'id[eq]'?: Value
      /** `id` is not this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'id[ne]'?: Value
      /** `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'id[in]'?: Value | readonly Value[]
      /** `id` is none of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'id[nin]'?: Value | readonly Value[]
      /** `id` is null (true) or not (false). */
      'id[null]'?: boolean
      /** `name` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      name?: Value | readonly Value[]
      /** `name` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'name[eq]'?: Value
      /** `name` is not this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'name[ne]'?: Value
      /** `name` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'name[in]'?: Value | readonly Value[]
      /** `name` is none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'name[nin]'?: Value | readonly Value[]
      /** `name` begins with this. The value is at least one character, at most 2000 bytes, without U+0000. */
      'name[prefix]'?: Value
      /** `name` is null (true) or not (false). */
      'name[null]'?: boolean
      /** `part_numbers` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      part_numbers?: Value | readonly Value[]
      /** `part_numbers` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'part_numbers[eq]'?: Value
      /** `part_numbers` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'part_numbers[ne]'?: Value
      /** `part_numbers` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'part_numbers[in]'?: Value | readonly Value[]
      /** `part_numbers` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'part_numbers[nin]'?: Value | readonly Value[]
      /** `part_numbers` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'part_numbers[all]'?: Value | readonly Value[]
      /** `model` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      model?: Value | readonly Value[]
      /** `model` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'model[eq]'?: Value
      /** `model` is not this, or null. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'model[ne]'?: Value
      /** `model` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'model[in]'?: Value | readonly Value[]
      /** `model` is none of these, or null. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'model[nin]'?: Value | readonly Value[]
      /** `model` begins with this. The value is at least one character, at most 2000 bytes, without U+0000. */
      'model[prefix]'?: Value
      /** `model` is null (true) or not (false). */
      'model[null]'?: boolean
      /** `brand` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      brand?: Value | readonly Value[]
      /** `brand` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'brand[eq]'?: Value
      /** `brand` is not this, or null. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'brand[ne]'?: Value
      /** `brand` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'brand[in]'?: Value | readonly Value[]
      /** `brand` is none of these, or null. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'brand[nin]'?: Value | readonly Value[]
      /** `brand` is null (true) or not (false). */
      'brand[null]'?: boolean
      /** `product_status` is any of these. Each is one of: draft, in_development, active, phase_out, discontinued. At most 200, comma-separated; `\,` is a comma within one. */
      product_status?: Value | readonly Value[]
      /** `product_status` is this. The value is one of: draft, in_development, active, phase_out, discontinued. */
      'product_status[eq]'?: Value
      /** `product_status` is not this. The value is one of: draft, in_development, active, phase_out, discontinued. */
      'product_status[ne]'?: Value
      /** `product_status` is any of these. Each is one of: draft, in_development, active, phase_out, discontinued. At most 200, comma-separated; `\,` is a comma within one. */
      'product_status[in]'?: Value | readonly Value[]
      /** `product_status` is none of these. Each is one of: draft, in_development, active, phase_out, discontinued. At most 200, comma-separated; `\,` is a comma within one. */
      'product_status[nin]'?: Value | readonly Value[]
      /** `product_status` is null (true) or not (false). */
      'product_status[null]'?: boolean
      /** `category` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      category?: Value | readonly Value[]
      /** `category` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'category[eq]'?: Value
      /** `category` is not this, or null. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'category[ne]'?: Value
      /** `category` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'category[in]'?: Value | readonly Value[]
      /** `category` is none of these, or null. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'category[nin]'?: Value | readonly Value[]
      /** `category` is null (true) or not (false). */
      'category[null]'?: boolean
      /** `technologies` contains any of these. Each is one of: wifi, bluetooth, cellular, nfc, uwb, srd, gnss, radar, lpwan, satellite, wireless_power. At most 200, comma-separated; `\,` is a comma within one. */
      technologies?: Value | readonly Value[]
      /** `technologies` contains this. The value is one of: wifi, bluetooth, cellular, nfc, uwb, srd, gnss, radar, lpwan, satellite, wireless_power. */
      'technologies[eq]'?: Value
      /** `technologies` does not contain this. The value is one of: wifi, bluetooth, cellular, nfc, uwb, srd, gnss, radar, lpwan, satellite, wireless_power. */
      'technologies[ne]'?: Value
      /** `technologies` contains any of these. Each is one of: wifi, bluetooth, cellular, nfc, uwb, srd, gnss, radar, lpwan, satellite, wireless_power. At most 200, comma-separated; `\,` is a comma within one. */
      'technologies[in]'?: Value | readonly Value[]
      /** `technologies` contains none of these. Each is one of: wifi, bluetooth, cellular, nfc, uwb, srd, gnss, radar, lpwan, satellite, wireless_power. At most 200, comma-separated; `\,` is a comma within one. */
      'technologies[nin]'?: Value | readonly Value[]
      /** `technologies` contains every one of these. Each is one of: wifi, bluetooth, cellular, nfc, uwb, srd, gnss, radar, lpwan, satellite, wireless_power. At most 200, comma-separated; `\,` is a comma within one. */
      'technologies[all]'?: Value | readonly Value[]
      /** `parent_product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      parent_product_id?: Value | readonly Value[]
      /** `parent_product_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'parent_product_id[eq]'?: Value
      /** `parent_product_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'parent_product_id[ne]'?: Value
      /** `parent_product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'parent_product_id[in]'?: Value | readonly Value[]
      /** `parent_product_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'parent_product_id[nin]'?: Value | readonly Value[]
      /** `parent_product_id` is null (true) or not (false). */
      'parent_product_id[null]'?: boolean
      /** `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      tags?: Value | readonly Value[]
      /** `tags` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'tags[eq]'?: Value
      /** `tags` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'tags[ne]'?: Value
      /** `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[in]'?: Value | readonly Value[]
      /** `tags` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[nin]'?: Value | readonly Value[]
      /** `tags` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[all]'?: Value | readonly Value[]
      /** `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      created_at?: Value | readonly Value[]
      /** `created_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[eq]'?: Value
      /** `created_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[ne]'?: Value
      /** `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'created_at[in]'?: Value | readonly Value[]
      /** `created_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'created_at[nin]'?: Value | readonly Value[]
      /** `created_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[gt]'?: Value
      /** `created_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[gte]'?: Value
      /** `created_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[lt]'?: Value
      /** `created_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[lte]'?: Value
      /** `created_at` is null (true) or not (false). */
      'created_at[null]'?: boolean
      /** `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      updated_at?: Value | readonly Value[]
      /** `updated_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[eq]'?: Value
      /** `updated_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[ne]'?: Value
      /** `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'updated_at[in]'?: Value | readonly Value[]
      /** `updated_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'updated_at[nin]'?: Value | readonly Value[]
      /** `updated_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[gt]'?: Value
      /** `updated_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[gte]'?: Value
      /** `updated_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[lt]'?: Value
      /** `updated_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[lte]'?: Value
      /** `updated_at` is null (true) or not (false). */
      'updated_at[null]'?: boolean
      /** The fields to answer, separated by commas; `id` is always included. Absent: all fields. */
      fields?: Value | readonly Value[]
      /** Records in which each of these words begins a word of `name`, `part_numbers`, `model`, `brand`, `manufacturer`. Case and accents do not matter. 1 to 5 words of two letters or digits at least; anything else ends a word. */
      q?: Value | readonly Value[]
      /** At most 3 keys, comma-separated, each once; a leading - reverses. One of: name, model, updated_at, created_at. Null is the greatest value; `id` breaks ties. */
      sort?: Value | readonly Value[]
      /** Number of records on a page. An export has no limit unless this is given. */
      limit?: number
      /** Adds `page.total`, the number of all matching records. Not with an export. */
      count?: 'exact'
      /** `page.next_cursor` of the answer before, unchanged, with the same filters and sort. Absent: the first page. Not with an export. */
      cursor?: Value
    }
    itemQuery: {
      /** The fields to answer, separated by commas; `id` is always included. Absent: all fields. */
      fields?: Value | readonly Value[]
      /** Shows the product as it stood at the end of this day (UTC), as far as history reaches: YYYY-MM-DD, or today-30d. Not with `on` and `include`. */
      as_of?: Value
    }
  }
  projects: {
    record: Project
    page: ProjectPage
    answer: ProjectAnswer
    query: {
      /** `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      id?: Value | readonly Value[]
      /** `id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'id[eq]'?: Value
      /** `id` is not this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'id[ne]'?: Value
      /** `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'id[in]'?: Value | readonly Value[]
      /** `id` is none of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'id[nin]'?: Value | readonly Value[]
      /** `id` is null (true) or not (false). */
      'id[null]'?: boolean
      /** `project_number` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      project_number?: Value | readonly Value[]
      /** `project_number` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'project_number[eq]'?: Value
      /** `project_number` is not this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'project_number[ne]'?: Value
      /** `project_number` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'project_number[in]'?: Value | readonly Value[]
      /** `project_number` is none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'project_number[nin]'?: Value | readonly Value[]
      /** `project_number` begins with this. The value is at least one character, at most 2000 bytes, without U+0000. */
      'project_number[prefix]'?: Value
      /** `project_number` is null (true) or not (false). */
      'project_number[null]'?: boolean
      /** `customer_reference` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      customer_reference?: Value | readonly Value[]
      /** `customer_reference` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'customer_reference[eq]'?: Value
      /** `customer_reference` is not this, or null. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'customer_reference[ne]'?: Value
      /** `customer_reference` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'customer_reference[in]'?: Value | readonly Value[]
      /** `customer_reference` is none of these, or null. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'customer_reference[nin]'?: Value | readonly Value[]
      /** `customer_reference` is null (true) or not (false). */
      'customer_reference[null]'?: boolean
      /** `status` is any of these. Each is one of: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined. At most 200, comma-separated; `\,` is a comma within one. */
      status?: Value | readonly Value[]
      /** `status` is this. The value is one of: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined. */
      'status[eq]'?: Value
      /** `status` is not this. The value is one of: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined. */
      'status[ne]'?: Value
      /** `status` is any of these. Each is one of: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined. At most 200, comma-separated; `\,` is a comma within one. */
      'status[in]'?: Value | readonly Value[]
      /** `status` is none of these. Each is one of: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined. At most 200, comma-separated; `\,` is a comma within one. */
      'status[nin]'?: Value | readonly Value[]
      /** `status` is null (true) or not (false). */
      'status[null]'?: boolean
      /** `classification` is any of these. Each is one of: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting. At most 200, comma-separated; `\,` is a comma within one. */
      classification?: Value | readonly Value[]
      /** `classification` is this. The value is one of: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting. */
      'classification[eq]'?: Value
      /** `classification` is not this, or null. The value is one of: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting. */
      'classification[ne]'?: Value
      /** `classification` is any of these. Each is one of: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting. At most 200, comma-separated; `\,` is a comma within one. */
      'classification[in]'?: Value | readonly Value[]
      /** `classification` is none of these, or null. Each is one of: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting. At most 200, comma-separated; `\,` is a comma within one. */
      'classification[nin]'?: Value | readonly Value[]
      /** `classification` is null (true) or not (false). */
      'classification[null]'?: boolean
      /** `product_ids` contains any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      product_ids?: Value | readonly Value[]
      /** `product_ids` contains this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'product_ids[eq]'?: Value
      /** `product_ids` does not contain this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'product_ids[ne]'?: Value
      /** `product_ids` contains any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'product_ids[in]'?: Value | readonly Value[]
      /** `product_ids` contains none of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'product_ids[nin]'?: Value | readonly Value[]
      /** `product_ids` contains every one of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'product_ids[all]'?: Value | readonly Value[]
      /** `country_codes` contains any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      country_codes?: Value | readonly Value[]
      /** `country_codes` contains this. The value is an ISO 3166-1 alpha-2 code in capitals. */
      'country_codes[eq]'?: Value
      /** `country_codes` does not contain this. The value is an ISO 3166-1 alpha-2 code in capitals. */
      'country_codes[ne]'?: Value
      /** `country_codes` contains any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      'country_codes[in]'?: Value | readonly Value[]
      /** `country_codes` contains none of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      'country_codes[nin]'?: Value | readonly Value[]
      /** `country_codes` contains every one of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      'country_codes[all]'?: Value | readonly Value[]
      /** `ordered_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      ordered_on?: Value | readonly Value[]
      /** `ordered_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'ordered_on[eq]'?: Value
      /** `ordered_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'ordered_on[ne]'?: Value
      /** `ordered_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'ordered_on[in]'?: Value | readonly Value[]
      /** `ordered_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'ordered_on[nin]'?: Value | readonly Value[]
      /** `ordered_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'ordered_on[gt]'?: Value
      /** `ordered_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'ordered_on[gte]'?: Value
      /** `ordered_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'ordered_on[lt]'?: Value
      /** `ordered_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'ordered_on[lte]'?: Value
      /** `ordered_on` is null (true) or not (false). */
      'ordered_on[null]'?: boolean
      /** `due_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      due_on?: Value | readonly Value[]
      /** `due_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'due_on[eq]'?: Value
      /** `due_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'due_on[ne]'?: Value
      /** `due_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'due_on[in]'?: Value | readonly Value[]
      /** `due_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'due_on[nin]'?: Value | readonly Value[]
      /** `due_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'due_on[gt]'?: Value
      /** `due_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'due_on[gte]'?: Value
      /** `due_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'due_on[lt]'?: Value
      /** `due_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'due_on[lte]'?: Value
      /** `due_on` is null (true) or not (false). */
      'due_on[null]'?: boolean
      /** `completed_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      completed_on?: Value | readonly Value[]
      /** `completed_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'completed_on[eq]'?: Value
      /** `completed_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'completed_on[ne]'?: Value
      /** `completed_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'completed_on[in]'?: Value | readonly Value[]
      /** `completed_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'completed_on[nin]'?: Value | readonly Value[]
      /** `completed_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'completed_on[gt]'?: Value
      /** `completed_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'completed_on[gte]'?: Value
      /** `completed_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'completed_on[lt]'?: Value
      /** `completed_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'completed_on[lte]'?: Value
      /** `completed_on` is null (true) or not (false). */
      'completed_on[null]'?: boolean
      /** `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      tags?: Value | readonly Value[]
      /** `tags` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'tags[eq]'?: Value
      /** `tags` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'tags[ne]'?: Value
      /** `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[in]'?: Value | readonly Value[]
      /** `tags` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[nin]'?: Value | readonly Value[]
      /** `tags` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[all]'?: Value | readonly Value[]
      /** `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      created_at?: Value | readonly Value[]
      /** `created_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[eq]'?: Value
      /** `created_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[ne]'?: Value
      /** `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'created_at[in]'?: Value | readonly Value[]
      /** `created_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'created_at[nin]'?: Value | readonly Value[]
      /** `created_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[gt]'?: Value
      /** `created_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[gte]'?: Value
      /** `created_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[lt]'?: Value
      /** `created_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[lte]'?: Value
      /** `created_at` is null (true) or not (false). */
      'created_at[null]'?: boolean
      /** `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      updated_at?: Value | readonly Value[]
      /** `updated_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[eq]'?: Value
      /** `updated_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[ne]'?: Value
      /** `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'updated_at[in]'?: Value | readonly Value[]
      /** `updated_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'updated_at[nin]'?: Value | readonly Value[]
      /** `updated_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[gt]'?: Value
      /** `updated_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[gte]'?: Value
      /** `updated_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[lt]'?: Value
      /** `updated_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[lte]'?: Value
      /** `updated_at` is null (true) or not (false). */
      'updated_at[null]'?: boolean
      /** The fields to answer, separated by commas; `id` is always included. Absent: all fields. */
      fields?: Value | readonly Value[]
      /** Records in which each of these words begins a word of `project_number`, `customer_reference`, `title`. Case and accents do not matter. 1 to 5 words of two letters or digits at least; anything else ends a word. */
      q?: Value | readonly Value[]
      /** At most 3 keys, comma-separated, each once; a leading - reverses. One of: project_number, due_on, ordered_on, updated_at, created_at. Null is the greatest value; `id` breaks ties. */
      sort?: Value | readonly Value[]
      /** Number of records on a page. An export has no limit unless this is given. */
      limit?: number
      /** Adds `page.total`, the number of all matching records. Not with an export. */
      count?: 'exact'
      /** `page.next_cursor` of the answer before, unchanged, with the same filters and sort. Absent: the first page. Not with an export. */
      cursor?: Value
    }
    itemQuery: {
      /** The fields to answer, separated by commas; `id` is always included. Absent: all fields. */
      fields?: Value | readonly Value[]
      /** Shows the project as it stood at the end of this day (UTC), as far as history reaches: YYYY-MM-DD, or today-30d. Not with `on` and `include`. */
      as_of?: Value
    }
  }
  countries: {
    record: Country
    page: CountryPage
    answer: CountryAnswer
    query: {
      /** `id` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      id?: Value | readonly Value[]
      /** `id` is this. The value is an ISO 3166-1 alpha-2 code in capitals. */
      'id[eq]'?: Value
      /** `id` is not this. The value is an ISO 3166-1 alpha-2 code in capitals. */
      'id[ne]'?: Value
      /** `id` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      'id[in]'?: Value | readonly Value[]
      /** `id` is none of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      'id[nin]'?: Value | readonly Value[]
      /** `id` is null (true) or not (false). */
      'id[null]'?: boolean
      /** `code` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      code?: Value | readonly Value[]
      /** `code` is this. The value is an ISO 3166-1 alpha-2 code in capitals. */
      'code[eq]'?: Value
      /** `code` is not this. The value is an ISO 3166-1 alpha-2 code in capitals. */
      'code[ne]'?: Value
      /** `code` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      'code[in]'?: Value | readonly Value[]
      /** `code` is none of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      'code[nin]'?: Value | readonly Value[]
      /** `code` is null (true) or not (false). */
      'code[null]'?: boolean
      /** `alpha3` is any of these. Each is an ISO 3166-1 alpha-3 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      alpha3?: Value | readonly Value[]
      /** `alpha3` is this. The value is an ISO 3166-1 alpha-3 code in capitals. */
      'alpha3[eq]'?: Value
      /** `alpha3` is not this. The value is an ISO 3166-1 alpha-3 code in capitals. */
      'alpha3[ne]'?: Value
      /** `alpha3` is any of these. Each is an ISO 3166-1 alpha-3 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      'alpha3[in]'?: Value | readonly Value[]
      /** `alpha3` is none of these. Each is an ISO 3166-1 alpha-3 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      'alpha3[nin]'?: Value | readonly Value[]
      /** `alpha3` is null (true) or not (false). */
      'alpha3[null]'?: boolean
      /** `name` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      name?: Value | readonly Value[]
      /** `name` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'name[eq]'?: Value
      /** `name` is not this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'name[ne]'?: Value
      /** `name` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'name[in]'?: Value | readonly Value[]
      /** `name` is none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'name[nin]'?: Value | readonly Value[]
      /** `name` begins with this. The value is at least one character, at most 2000 bytes, without U+0000. */
      'name[prefix]'?: Value
      /** `name` is null (true) or not (false). */
      'name[null]'?: boolean
      /** `region` is any of these. Each is one of: europe, americas, asia_pacific, middle_east_africa, cis. At most 200, comma-separated; `\,` is a comma within one. */
      region?: Value | readonly Value[]
      /** `region` is this. The value is one of: europe, americas, asia_pacific, middle_east_africa, cis. */
      'region[eq]'?: Value
      /** `region` is not this. The value is one of: europe, americas, asia_pacific, middle_east_africa, cis. */
      'region[ne]'?: Value
      /** `region` is any of these. Each is one of: europe, americas, asia_pacific, middle_east_africa, cis. At most 200, comma-separated; `\,` is a comma within one. */
      'region[in]'?: Value | readonly Value[]
      /** `region` is none of these. Each is one of: europe, americas, asia_pacific, middle_east_africa, cis. At most 200, comma-separated; `\,` is a comma within one. */
      'region[nin]'?: Value | readonly Value[]
      /** `region` is null (true) or not (false). */
      'region[null]'?: boolean
      /** `blocs` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      blocs?: Value | readonly Value[]
      /** `blocs` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'blocs[eq]'?: Value
      /** `blocs` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'blocs[ne]'?: Value
      /** `blocs` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'blocs[in]'?: Value | readonly Value[]
      /** `blocs` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'blocs[nin]'?: Value | readonly Value[]
      /** `blocs` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'blocs[all]'?: Value | readonly Value[]
      /** `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      updated_at?: Value | readonly Value[]
      /** `updated_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[eq]'?: Value
      /** `updated_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[ne]'?: Value
      /** `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'updated_at[in]'?: Value | readonly Value[]
      /** `updated_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'updated_at[nin]'?: Value | readonly Value[]
      /** `updated_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[gt]'?: Value
      /** `updated_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[gte]'?: Value
      /** `updated_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[lt]'?: Value
      /** `updated_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[lte]'?: Value
      /** `updated_at` is null (true) or not (false). */
      'updated_at[null]'?: boolean
      /** The fields to answer, separated by commas; `id` is always included. Absent: all fields. */
      fields?: Value | readonly Value[]
      /** Computes for this day instead of today, with today's statuses: YYYY-MM-DD, or today, today+90d, today-30d. */
      on?: Value
      /** Days before its end in which a certificate counts as expiring. Absent: the customer's setting. */
      expiring_within?: number
      /** Records in which each of these words begins a word of `code`, `alpha3`, `name`, `authorities`. Case and accents do not matter. 1 to 5 words of two letters or digits at least; anything else ends a word. */
      q?: Value | readonly Value[]
      /** At most 3 keys, comma-separated, each once; a leading - reverses. One of: code, name, region. Null is the greatest value; `id` breaks ties. */
      sort?: Value | readonly Value[]
      /** Number of records on a page. An export has no limit unless this is given. */
      limit?: number
      /** Adds `page.total`, the number of all matching records. Not with an export. */
      count?: 'exact'
      /** `page.next_cursor` of the answer before, unchanged, with the same filters and sort. Absent: the first page. Not with an export. */
      cursor?: Value
    }
    itemQuery: {
      /** The fields to answer, separated by commas; `id` is always included. Absent: all fields. */
      fields?: Value | readonly Value[]
      /** Computes for this day instead of today, with today's statuses: YYYY-MM-DD, or today, today+90d, today-30d. */
      on?: Value
      /** Days before its end in which a certificate counts as expiring. Absent: the customer's setting. */
      expiring_within?: number
      /** Shows the country as it stood at the end of this day (UTC), as far as history reaches: YYYY-MM-DD, or today-30d. Not with `on` and `include`. */
      as_of?: Value
    }
  }
  lab: {
    record: LabReport
    page: LabReportPage
    answer: LabReportAnswer
    query: {
      /** `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      id?: Value | readonly Value[]
      /** `id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'id[eq]'?: Value
      /** `id` is not this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'id[ne]'?: Value
      /** `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'id[in]'?: Value | readonly Value[]
      /** `id` is none of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'id[nin]'?: Value | readonly Value[]
      /** `id` is null (true) or not (false). */
      'id[null]'?: boolean
      /** `report_number` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      report_number?: Value | readonly Value[]
      /** `report_number` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'report_number[eq]'?: Value
      /** `report_number` is not this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'report_number[ne]'?: Value
      /** `report_number` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'report_number[in]'?: Value | readonly Value[]
      /** `report_number` is none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'report_number[nin]'?: Value | readonly Value[]
      /** `report_number` begins with this. The value is at least one character, at most 2000 bytes, without U+0000. */
      'report_number[prefix]'?: Value
      /** `report_number` is null (true) or not (false). */
      'report_number[null]'?: boolean
      /** `test_type` is any of these. Each is one of: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy. At most 200, comma-separated; `\,` is a comma within one. */
      test_type?: Value | readonly Value[]
      /** `test_type` is this. The value is one of: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy. */
      'test_type[eq]'?: Value
      /** `test_type` is not this, or null. The value is one of: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy. */
      'test_type[ne]'?: Value
      /** `test_type` is any of these. Each is one of: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy. At most 200, comma-separated; `\,` is a comma within one. */
      'test_type[in]'?: Value | readonly Value[]
      /** `test_type` is none of these, or null. Each is one of: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy. At most 200, comma-separated; `\,` is a comma within one. */
      'test_type[nin]'?: Value | readonly Value[]
      /** `test_type` is null (true) or not (false). */
      'test_type[null]'?: boolean
      /** `standards` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      standards?: Value | readonly Value[]
      /** `standards` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'standards[eq]'?: Value
      /** `standards` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'standards[ne]'?: Value
      /** `standards` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'standards[in]'?: Value | readonly Value[]
      /** `standards` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'standards[nin]'?: Value | readonly Value[]
      /** `standards` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'standards[all]'?: Value | readonly Value[]
      /** `status` is any of these. Each is one of: planned, in_testing, draft, issued, superseded, withdrawn, cancelled. At most 200, comma-separated; `\,` is a comma within one. */
      status?: Value | readonly Value[]
      /** `status` is this. The value is one of: planned, in_testing, draft, issued, superseded, withdrawn, cancelled. */
      'status[eq]'?: Value
      /** `status` is not this. The value is one of: planned, in_testing, draft, issued, superseded, withdrawn, cancelled. */
      'status[ne]'?: Value
      /** `status` is any of these. Each is one of: planned, in_testing, draft, issued, superseded, withdrawn, cancelled. At most 200, comma-separated; `\,` is a comma within one. */
      'status[in]'?: Value | readonly Value[]
      /** `status` is none of these. Each is one of: planned, in_testing, draft, issued, superseded, withdrawn, cancelled. At most 200, comma-separated; `\,` is a comma within one. */
      'status[nin]'?: Value | readonly Value[]
      /** `status` is null (true) or not (false). */
      'status[null]'?: boolean
      /** `result` is any of these. Each is one of: pass, fail, pass_with_deviation, inconclusive. At most 200, comma-separated; `\,` is a comma within one. */
      result?: Value | readonly Value[]
      /** `result` is this. The value is one of: pass, fail, pass_with_deviation, inconclusive. */
      'result[eq]'?: Value
      /** `result` is not this, or null. The value is one of: pass, fail, pass_with_deviation, inconclusive. */
      'result[ne]'?: Value
      /** `result` is any of these. Each is one of: pass, fail, pass_with_deviation, inconclusive. At most 200, comma-separated; `\,` is a comma within one. */
      'result[in]'?: Value | readonly Value[]
      /** `result` is none of these, or null. Each is one of: pass, fail, pass_with_deviation, inconclusive. At most 200, comma-separated; `\,` is a comma within one. */
      'result[nin]'?: Value | readonly Value[]
      /** `result` is null (true) or not (false). */
      'result[null]'?: boolean
      /** `laboratory` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      laboratory?: Value | readonly Value[]
      /** `laboratory` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'laboratory[eq]'?: Value
      /** `laboratory` is not this, or null. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'laboratory[ne]'?: Value
      /** `laboratory` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'laboratory[in]'?: Value | readonly Value[]
      /** `laboratory` is none of these, or null. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'laboratory[nin]'?: Value | readonly Value[]
      /** `laboratory` is null (true) or not (false). */
      'laboratory[null]'?: boolean
      /** `product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      product_id?: Value | readonly Value[]
      /** `product_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'product_id[eq]'?: Value
      /** `product_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'product_id[ne]'?: Value
      /** `product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'product_id[in]'?: Value | readonly Value[]
      /** `product_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'product_id[nin]'?: Value | readonly Value[]
      /** `product_id` is null (true) or not (false). */
      'product_id[null]'?: boolean
      /** `project_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      project_id?: Value | readonly Value[]
      /** `project_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'project_id[eq]'?: Value
      /** `project_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'project_id[ne]'?: Value
      /** `project_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'project_id[in]'?: Value | readonly Value[]
      /** `project_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'project_id[nin]'?: Value | readonly Value[]
      /** `project_id` is null (true) or not (false). */
      'project_id[null]'?: boolean
      /** `certificate_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      certificate_id?: Value | readonly Value[]
      /** `certificate_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'certificate_id[eq]'?: Value
      /** `certificate_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'certificate_id[ne]'?: Value
      /** `certificate_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'certificate_id[in]'?: Value | readonly Value[]
      /** `certificate_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'certificate_id[nin]'?: Value | readonly Value[]
      /** `certificate_id` is null (true) or not (false). */
      'certificate_id[null]'?: boolean
      /** `issued_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      issued_on?: Value | readonly Value[]
      /** `issued_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'issued_on[eq]'?: Value
      /** `issued_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'issued_on[ne]'?: Value
      /** `issued_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'issued_on[in]'?: Value | readonly Value[]
      /** `issued_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'issued_on[nin]'?: Value | readonly Value[]
      /** `issued_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'issued_on[gt]'?: Value
      /** `issued_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'issued_on[gte]'?: Value
      /** `issued_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'issued_on[lt]'?: Value
      /** `issued_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'issued_on[lte]'?: Value
      /** `issued_on` is null (true) or not (false). */
      'issued_on[null]'?: boolean
      /** `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      tags?: Value | readonly Value[]
      /** `tags` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'tags[eq]'?: Value
      /** `tags` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'tags[ne]'?: Value
      /** `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[in]'?: Value | readonly Value[]
      /** `tags` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[nin]'?: Value | readonly Value[]
      /** `tags` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[all]'?: Value | readonly Value[]
      /** `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      created_at?: Value | readonly Value[]
      /** `created_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[eq]'?: Value
      /** `created_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[ne]'?: Value
      /** `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'created_at[in]'?: Value | readonly Value[]
      /** `created_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'created_at[nin]'?: Value | readonly Value[]
      /** `created_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[gt]'?: Value
      /** `created_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[gte]'?: Value
      /** `created_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[lt]'?: Value
      /** `created_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[lte]'?: Value
      /** `created_at` is null (true) or not (false). */
      'created_at[null]'?: boolean
      /** `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      updated_at?: Value | readonly Value[]
      /** `updated_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[eq]'?: Value
      /** `updated_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[ne]'?: Value
      /** `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'updated_at[in]'?: Value | readonly Value[]
      /** `updated_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'updated_at[nin]'?: Value | readonly Value[]
      /** `updated_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[gt]'?: Value
      /** `updated_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[gte]'?: Value
      /** `updated_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[lt]'?: Value
      /** `updated_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[lte]'?: Value
      /** `updated_at` is null (true) or not (false). */
      'updated_at[null]'?: boolean
      /** The fields to answer, separated by commas; `id` is always included. Absent: all fields. */
      fields?: Value | readonly Value[]
      /** Adds these related records under `included`, by id; separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `certificate` needs certificates:read. */
      include?: Value | readonly Value[]
      /** Records in which each of these words begins a word of `report_number`, `title`, `laboratory`. Case and accents do not matter. 1 to 5 words of two letters or digits at least; anything else ends a word. */
      q?: Value | readonly Value[]
      /** At most 3 keys, comma-separated, each once; a leading - reverses. One of: issued_on, report_number, updated_at, created_at. Null is the greatest value; `id` breaks ties. */
      sort?: Value | readonly Value[]
      /** Number of records on a page. An export has no limit unless this is given. */
      limit?: number
      /** Adds `page.total`, the number of all matching records. Not with an export. */
      count?: 'exact'
      /** `page.next_cursor` of the answer before, unchanged, with the same filters and sort. Absent: the first page. Not with an export. */
      cursor?: Value
    }
    itemQuery: {
      /** The fields to answer, separated by commas; `id` is always included. Absent: all fields. */
      fields?: Value | readonly Value[]
      /** Adds these related records under `included`, by id; separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `certificate` needs certificates:read. */
      include?: Value | readonly Value[]
      /** Shows the test report as it stood at the end of this day (UTC), as far as history reaches: YYYY-MM-DD, or today-30d. Not with `on` and `include`. */
      as_of?: Value
    }
  }
  approvals: {
    record: Approval
    page: ApprovalPage
    answer: ApprovalAnswer
    query: {
      /** `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      id?: Value | readonly Value[]
      /** `id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'id[eq]'?: Value
      /** `id` is not this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'id[ne]'?: Value
      /** `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'id[in]'?: Value | readonly Value[]
      /** `id` is none of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'id[nin]'?: Value | readonly Value[]
      /** `id` is null (true) or not (false). */
      'id[null]'?: boolean
      /** `product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      product_id?: Value | readonly Value[]
      /** `product_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'product_id[eq]'?: Value
      /** `product_id` is not this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'product_id[ne]'?: Value
      /** `product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'product_id[in]'?: Value | readonly Value[]
      /** `product_id` is none of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'product_id[nin]'?: Value | readonly Value[]
      /** `product_id` is null (true) or not (false). */
      'product_id[null]'?: boolean
      /** `country_code` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      country_code?: Value | readonly Value[]
      /** `country_code` is this. The value is an ISO 3166-1 alpha-2 code in capitals. */
      'country_code[eq]'?: Value
      /** `country_code` is not this. The value is an ISO 3166-1 alpha-2 code in capitals. */
      'country_code[ne]'?: Value
      /** `country_code` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      'country_code[in]'?: Value | readonly Value[]
      /** `country_code` is none of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one. */
      'country_code[nin]'?: Value | readonly Value[]
      /** `country_code` is null (true) or not (false). */
      'country_code[null]'?: boolean
      /** `scheme` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      scheme?: Value | readonly Value[]
      /** `scheme` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'scheme[eq]'?: Value
      /** `scheme` is not this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'scheme[ne]'?: Value
      /** `scheme` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'scheme[in]'?: Value | readonly Value[]
      /** `scheme` is none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'scheme[nin]'?: Value | readonly Value[]
      /** `scheme` is null (true) or not (false). */
      'scheme[null]'?: boolean
      /** `project_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      project_id?: Value | readonly Value[]
      /** `project_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'project_id[eq]'?: Value
      /** `project_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'project_id[ne]'?: Value
      /** `project_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'project_id[in]'?: Value | readonly Value[]
      /** `project_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'project_id[nin]'?: Value | readonly Value[]
      /** `project_id` is null (true) or not (false). */
      'project_id[null]'?: boolean
      /** `certificate_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      certificate_id?: Value | readonly Value[]
      /** `certificate_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'certificate_id[eq]'?: Value
      /** `certificate_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. */
      'certificate_id[ne]'?: Value
      /** `certificate_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'certificate_id[in]'?: Value | readonly Value[]
      /** `certificate_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one. */
      'certificate_id[nin]'?: Value | readonly Value[]
      /** `certificate_id` is null (true) or not (false). */
      'certificate_id[null]'?: boolean
      /** `status` is any of these. Each is one of: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required. At most 200, comma-separated; `\,` is a comma within one. */
      status?: Value | readonly Value[]
      /** `status` is this. The value is one of: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required. */
      'status[eq]'?: Value
      /** `status` is not this. The value is one of: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required. */
      'status[ne]'?: Value
      /** `status` is any of these. Each is one of: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required. At most 200, comma-separated; `\,` is a comma within one. */
      'status[in]'?: Value | readonly Value[]
      /** `status` is none of these. Each is one of: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required. At most 200, comma-separated; `\,` is a comma within one. */
      'status[nin]'?: Value | readonly Value[]
      /** `status` is null (true) or not (false). */
      'status[null]'?: boolean
      /** `open` is any of these. Each is one of: true, false. At most 200, comma-separated; `\,` is a comma within one. */
      open?: Value | readonly Value[]
      /** `open` is this. The value is one of: true, false. */
      'open[eq]'?: Value
      /** `open` is not this. The value is one of: true, false. */
      'open[ne]'?: Value
      /** `open` is any of these. Each is one of: true, false. At most 200, comma-separated; `\,` is a comma within one. */
      'open[in]'?: Value | readonly Value[]
      /** `open` is none of these. Each is one of: true, false. At most 200, comma-separated; `\,` is a comma within one. */
      'open[nin]'?: Value | readonly Value[]
      /** `requested_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      requested_on?: Value | readonly Value[]
      /** `requested_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'requested_on[eq]'?: Value
      /** `requested_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'requested_on[ne]'?: Value
      /** `requested_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'requested_on[in]'?: Value | readonly Value[]
      /** `requested_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'requested_on[nin]'?: Value | readonly Value[]
      /** `requested_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'requested_on[gt]'?: Value
      /** `requested_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'requested_on[gte]'?: Value
      /** `requested_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'requested_on[lt]'?: Value
      /** `requested_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'requested_on[lte]'?: Value
      /** `requested_on` is null (true) or not (false). */
      'requested_on[null]'?: boolean
      /** `submitted_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      submitted_on?: Value | readonly Value[]
      /** `submitted_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'submitted_on[eq]'?: Value
      /** `submitted_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'submitted_on[ne]'?: Value
      /** `submitted_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'submitted_on[in]'?: Value | readonly Value[]
      /** `submitted_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'submitted_on[nin]'?: Value | readonly Value[]
      /** `submitted_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'submitted_on[gt]'?: Value
      /** `submitted_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'submitted_on[gte]'?: Value
      /** `submitted_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'submitted_on[lt]'?: Value
      /** `submitted_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'submitted_on[lte]'?: Value
      /** `submitted_on` is null (true) or not (false). */
      'submitted_on[null]'?: boolean
      /** `decided_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      decided_on?: Value | readonly Value[]
      /** `decided_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'decided_on[eq]'?: Value
      /** `decided_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'decided_on[ne]'?: Value
      /** `decided_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'decided_on[in]'?: Value | readonly Value[]
      /** `decided_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'decided_on[nin]'?: Value | readonly Value[]
      /** `decided_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'decided_on[gt]'?: Value
      /** `decided_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'decided_on[gte]'?: Value
      /** `decided_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'decided_on[lt]'?: Value
      /** `decided_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'decided_on[lte]'?: Value
      /** `decided_on` is null (true) or not (false). */
      'decided_on[null]'?: boolean
      /** `expected_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      expected_on?: Value | readonly Value[]
      /** `expected_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'expected_on[eq]'?: Value
      /** `expected_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'expected_on[ne]'?: Value
      /** `expected_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'expected_on[in]'?: Value | readonly Value[]
      /** `expected_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'expected_on[nin]'?: Value | readonly Value[]
      /** `expected_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'expected_on[gt]'?: Value
      /** `expected_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'expected_on[gte]'?: Value
      /** `expected_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'expected_on[lt]'?: Value
      /** `expected_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d. */
      'expected_on[lte]'?: Value
      /** `expected_on` is null (true) or not (false). */
      'expected_on[null]'?: boolean
      /** `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      tags?: Value | readonly Value[]
      /** `tags` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'tags[eq]'?: Value
      /** `tags` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates. */
      'tags[ne]'?: Value
      /** `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[in]'?: Value | readonly Value[]
      /** `tags` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[nin]'?: Value | readonly Value[]
      /** `tags` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one. */
      'tags[all]'?: Value | readonly Value[]
      /** `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      created_at?: Value | readonly Value[]
      /** `created_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[eq]'?: Value
      /** `created_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[ne]'?: Value
      /** `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'created_at[in]'?: Value | readonly Value[]
      /** `created_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'created_at[nin]'?: Value | readonly Value[]
      /** `created_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[gt]'?: Value
      /** `created_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[gte]'?: Value
      /** `created_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[lt]'?: Value
      /** `created_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'created_at[lte]'?: Value
      /** `created_at` is null (true) or not (false). */
      'created_at[null]'?: boolean
      /** `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      updated_at?: Value | readonly Value[]
      /** `updated_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[eq]'?: Value
      /** `updated_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[ne]'?: Value
      /** `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'updated_at[in]'?: Value | readonly Value[]
      /** `updated_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one. */
      'updated_at[nin]'?: Value | readonly Value[]
      /** `updated_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[gt]'?: Value
      /** `updated_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[gte]'?: Value
      /** `updated_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[lt]'?: Value
      /** `updated_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. */
      'updated_at[lte]'?: Value
      /** `updated_at` is null (true) or not (false). */
      'updated_at[null]'?: boolean
      /** The fields to answer, separated by commas; `id` is always included. Absent: all fields. */
      fields?: Value | readonly Value[]
      /** Adds these related records under `included`, by id; separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `country` needs countries:read, `certificate` needs certificates:read. */
      include?: Value | readonly Value[]
      /** Records in which each of these words begins a word of `scheme`, `product_id`, `certificate_id`. Case and accents do not matter. 1 to 5 words of two letters or digits at least; anything else ends a word. */
      q?: Value | readonly Value[]
      /** At most 3 keys, comma-separated, each once; a leading - reverses. One of: expected_on, requested_on, updated_at, created_at. Null is the greatest value; `id` breaks ties. */
      sort?: Value | readonly Value[]
      /** Number of records on a page. An export has no limit unless this is given. */
      limit?: number
      /** Adds `page.total`, the number of all matching records. Not with an export. */
      count?: 'exact'
      /** `page.next_cursor` of the answer before, unchanged, with the same filters and sort. Absent: the first page. Not with an export. */
      cursor?: Value
    }
    itemQuery: {
      /** The fields to answer, separated by commas; `id` is always included. Absent: all fields. */
      fields?: Value | readonly Value[]
      /** Adds these related records under `included`, by id; separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `country` needs countries:read, `certificate` needs certificates:read. */
      include?: Value | readonly Value[]
      /** Shows the approval as it stood at the end of this day (UTC), as far as history reaches: YYYY-MM-DD, or today-30d. Not with `on` and `include`. */
      as_of?: Value
    }
  }
}
