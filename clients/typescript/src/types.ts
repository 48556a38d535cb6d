// Generated from the OpenAPI document by `npm run client:types`; not to be edited.

/** A value of a condition. Lists are joined with commas, which are escaped within a value. */
export type Value = string | number | boolean

/** A request for access to the API */
export type AccessRequest = {
  /** The company that requests access */
  company: string
  /** The name of the person */
  name: string
  /** The address for the answer */
  email: string
  /** The purpose of the access */
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

/** An API key of the customer, without its secret */
export type AccountKey = {
  /** Id of the key */
  id: string
  /** Name that the operator gave the key; null without one */
  name: string | null
  /** Whether the token of this request belongs to the key */
  is_current: boolean
  /** The state. `pending`: it replaces another key at its first login, which must be before `expires_at`. `replaced`: another key was made instead of this one, which still works until it expires. Known values: active, pending, replaced, expired, revoked; more may be added. */
  state: 'active' | 'pending' | 'replaced' | 'expired' | 'revoked' | (string & {})
  /** When the key was made */
  created_at: string
  /** Day of the last login (UTC); null if there was none */
  last_used_on: string | null
  /** The key and its tokens work until this time; null: no end. The first login of a pending key sets its full life */
  expires_at: string | null
  /** Networks from which the key works. Null: a key sees networks only of itself */
  networks: string[] | null
  /** All scopes of the key */
  scopes: string[]
}

/** The API keys of the customer */
export type AccountKeys = {
  /** The newest 1,000 keys, the newest first */
  data: AccountKey[]
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
  /** State of the approval. Its certificate shows whether a `granted` approval is valid today. Known values: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required; more may be added. */
  status: 'planned' | 'preparing' | 'testing' | 'submitted' | 'in_review' | 'information_requested' | 'on_hold' | 'granted' | 'rejected' | 'cancelled' | 'not_required' | (string & {})
  /** First approval, renewal or modification. Known values: initial, renewal, modification; more may be added. */
  phase: 'initial' | 'renewal' | 'modification' | (string & {}) | null
  /** Computed: whether work on the approval is in progress */
  open: boolean
  /** Day it was requested */
  requested_on: string | null
  /** Day it went to the authority */
  submitted_on: string | null
  /** Day the authority decided */
  decided_on: string | null
  /** Day the decision is expected */
  expected_on: string | null
  /** Tags that the customer or the operator chose */
  tags: string[]
  /** Time at which the service first stored the record */
  created_at: string
  /** When the record last changed. To keep a copy up to date, use the change feed instead */
  updated_at: string
}

/** One record */
export type ApprovalAnswer = {
  data: Approval
  /** The related records that the parameter include names */
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
  /** The records, in the requested order */
  data: Approval[]
  page: PageInfo
  /** The related records that the parameter include names */
  included?: {
    /** Records by id. An id without a record is absent */
    products?: Record<string, Product>
    /** Records by id. An id without a record is absent */
    countries?: Record<string, Country>
    /** Records by id. An id without a record is absent */
    certificates?: Record<string, Certificate>
  }
}

/** An entry of the audit trail */
export type AuditEntry = {
  /** The number of the entry */
  id: string
  entry: AuditFacts
}

/** A page of records */
export type AuditEntryPage = {
  /** The records, in the requested order */
  data: AuditEntry[]
  page: PageInfo
}

/** The action and its circumstances */
export type AuditFacts = {
  /** The action: `login`, `reads`, `keys.issue`, `customers.export` and others */
  action: string
  /** The actor. `operator`: the certification house. Known values: key, operator, system, anonymous, demo; more may be added. */
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
  /** The result. For `reads`: `refused` for each status of 400 or more. Known values: ok, refused; more may be added. */
  outcome: 'ok' | 'refused' | (string & {})
  /** The header Request-Id of the answer */
  request_id: string | null
  /** The object of the action: the id of a key, the name of an endpoint */
  subject: string | null
}

/** A certificate that an authority issued */
export type Certificate = {
  /** The operator's stable id, unique per customer and resource */
  id: string
  /** The number as printed */
  number: string
  /** The certified product, in the words of the certificate */
  title: string
  /** The principal product */
  product_id: string | null
  /** The project it came from */
  project_id: string | null
  /** The principal approval */
  approval_id: string | null
  /** The certificate that this one replaces */
  supersedes_id: string | null
  /** The principal country (ISO 3166-1 alpha-2) */
  country_code: string | null
  /** Abbreviation of the issuing authority */
  authority: string | null
  /** Mark or scheme */
  scheme: string | null
  /** Kind of document. Known values: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other; more may be added. */
  certificate_type: 'type_approval' | 'declaration_of_conformity' | 'certificate_of_conformity' | 'registration' | 'safety_certificate' | 'module_approval' | 'other' | (string & {}) | null
  /** The decision of the authority. Known values: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded; more may be added. */
  approval_status: 'pending' | 'approved' | 'conditional' | 'rejected' | 'suspended' | 'revoked' | 'withdrawn' | 'superseded' | (string & {})
  /** Computed for the day from status and dates. Known values: not_yet_valid, valid, expired, void; more may be added. */
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
    /** The reason for the period. Known values: initial, renewal, extension; more may be added. */
    basis: 'initial' | 'renewal' | 'extension' | (string & {})
  }[]
  /** Day of issue */
  issued_on: string | null
  /** The holder */
  holder: string | null
  /** Standards it attests */
  standards: string[]
  /** Tags that the customer or the operator chose */
  tags: string[]
  /** Where the authority publishes it */
  source_url: string | null
  /** Time at which the service first stored the record */
  created_at: string
  /** When the record last changed. To keep a copy up to date, use the change feed instead */
  updated_at: string
}

/** One record */
export type CertificateAnswer = {
  data: Certificate
  /** The related records that the parameter include names */
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
  /** The records, in the requested order */
  data: Certificate[]
  page: DayPageInfo
  /** The related records that the parameter include names */
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
  /** Whether to replace or to remove the record with this id. Known values: upsert, delete; more may be added. */
  op: 'upsert' | 'delete' | (string & {})
  /** The resource. Known values: certificates, products, projects, countries, lab, approvals; more may be added. */
  resource: 'certificates' | 'products' | 'projects' | 'countries' | 'lab' | 'approvals' | (string & {})
  /** Id of the record */
  id: string
  /** Approximate time of the change, for information only */
  at: string
  /** The reason for the change: `day` or `settings` if the record was not written, `filter` if it no longer matches the filter. Omitted for a written record that still matches. Known values: day, settings, filter; more may be added. */
  cause?: 'day' | 'settings' | 'filter' | (string & {})
  /** The fields that differ from the state of the token. Omitted if they are not known, for example for a new record */
  changed?: string[]
  /** With `previous=true`: the values of these fields in the state of the token */
  previous?: Record<string, unknown>
  /** The present record, whole or with the chosen fields; null if it is to be removed. Schemas by resource: certificates: Certificate, products: Product, projects: Project, countries: Country, lab: LabReport, approvals: Approval */
  data: Record<string, unknown> | null
}

/** Changes since a sync token */
export type Changes = {
  /** Changes, each record once; apply them in this order */
  data: Change[]
  page: ChangesPageInfo
}

/** The position in the feed */
export type ChangesPageInfo = {
  /** Whether more changes can be read now */
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
  /** Region. Known values: europe, americas, asia_pacific, middle_east_africa, cis; more may be added. */
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
    /** Its responsibility */
    role: string | null
  }[]
  /** The regulatory requirements; null = not known for sure */
  requirements: {
    /** Marks and schemes */
    schemes: string[]
    /** Whether tests must run in the country. Known values: required, sometimes, not_required; more may be added. */
    in_country_testing: 'required' | 'sometimes' | 'not_required' | (string & {}) | null
    /** Whether a local representative must hold the approval. Known values: required, not_required; more may be added. */
    local_representative: 'required' | 'not_required' | (string & {}) | null
    /** How long an approval holds */
    validity: {
      /** Known values: unlimited, fixed; more may be added. */
      kind: 'unlimited' | 'fixed' | (string & {})
      years: number | null
    } | null
    /** Usual time to approval, in weeks */
    lead_time_weeks: {
      min: number | null
      max: number | null
    } | null
    /** Further facts */
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
  /** How reliable the facts are. Known values: high, medium, low; more may be added. */
  confidence: 'high' | 'medium' | 'low' | (string & {})
  /** Day the facts were last reviewed */
  reviewed_on: string | null
  /** Time at which the service first stored the record */
  created_at: string
  /** When the record last changed. To keep a copy up to date, use the change feed instead */
  updated_at: string
}

/** One record */
export type CountryAnswer = {
  data: Country
}

/** A page of records */
export type CountryPage = {
  /** The records, in the requested order */
  data: Country[]
  page: DayPageInfo
}

/** The position of this page in the list, and the day of its computed fields */
export type DayPageInfo = {
  /** Requested number of records */
  limit: number
  /** Whether another page follows */
  has_more: boolean
  /** Value of the parameter cursor for the next page; null on the last */
  next_cursor: string | null
  /** Number of all matching records, up to 100000, with count=exact */
  total?: number
  /** True if more records may match than total; left out if total is exact */
  total_is_lower_bound?: boolean
  /** The day for which fields and conditions are computed */
  as_of: string
}

/** One fault of a request */
export type Fault = {
  /** The query parameter with the fault */
  parameter?: string
  /** The place of the fault in the body (RFC 6901) */
  pointer?: string
  /** The kind of fault, for programs */
  code: string
  /** The expected value */
  detail: string
  /** The nearest valid name or value */
  did_you_mean?: string
}

/** A field of a record, before and after */
export type FieldChange = {
  /** The old value. Null if the record did not exist */
  from: unknown
  /** The new value. Null if the record was deleted */
  to: unknown
}

/** A change of a record */
export type HistoryEntry = {
  /** The resource. Known values: certificates, products, projects, countries, lab, approvals; more may be added. */
  resource: 'certificates' | 'products' | 'projects' | 'countries' | 'lab' | 'approvals' | (string & {})
  /** Id of the record */
  id: string
  /** When it changed: the time at which its transaction began. The `updated_at` of the record from then on */
  at: string
  /** What happened to the record. Known values: create, update, delete; more may be added. */
  op: 'create' | 'update' | 'delete' | (string & {})
  /** `day`: a new day (UTC) changed computed fields. Omitted if the record was written. Known values: day; more may be added. */
  cause?: 'day' | (string & {})
  /** The changed fields, by name. If the record was created or deleted: all fields with a value */
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
  /** Requested number of entries */
  limit: number
  /** Whether another page follows */
  has_more: boolean
  /** Value of the parameter cursor for the next page; null on the last */
  next_cursor: string | null
  /** History is complete since this time. Older changes are not shown */
  history_from: string
}

/** Facts about a token (RFC 7662) */
export type Introspection = {
  /** Whether the service accepts this token now */
  active: boolean
  /** The scopes of the token, separated by spaces */
  scope?: string
  /** Id of the API key */
  client_id?: string
  /** The same */
  sub?: string
  /** The customer whose records it reads */
  customer?: string
  /** How the token is sent: Authorization: Bearer <token> */
  token_type?: 'Bearer'
  /** The issuer */
  iss?: string
  /** The service that the token is for */
  aud?: string
  /** Issued, in seconds since 1970 */
  iat?: number
  /** Not valid before this time, in seconds since 1970 */
  nbf?: number
  /** Valid until, in seconds since 1970 */
  exp?: number
  /** Id of the token */
  jti?: string
}

/** An API key without its secret */
export type KeySummary = {
  /** Id of the key: its part after cda_live_ */
  id: string
  /** The operator's name for the key */
  name: string | null
  /** End of the key, or null without an end. Ask for a new key, or rotate it, before this time */
  expires_at: string | null
}

/** A laboratory's test report */
export type LabReport = {
  /** The operator's stable id, unique per customer and resource */
  id: string
  /** The number as printed */
  report_number: string
  /** Title of the report */
  title: string
  /** Kind of test. Known values: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy; more may be added. */
  test_type: 'radio' | 'emc' | 'safety' | 'sar' | 'environmental' | 'protocol' | 'cybersecurity' | 'energy' | (string & {}) | null
  /** Standards tested against */
  standards: string[]
  /** State of the report. Known values: planned, in_testing, draft, issued, superseded, withdrawn, cancelled; more may be added. */
  status: 'planned' | 'in_testing' | 'draft' | 'issued' | 'superseded' | 'withdrawn' | 'cancelled' | (string & {})
  /** Verdict; null until issued. Known values: pass, fail, pass_with_deviation, inconclusive; more may be added. */
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
  /** The report that this one replaces */
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
  /** Tags that the customer or the operator chose */
  tags: string[]
  /** Time at which the service first stored the record */
  created_at: string
  /** When the record last changed. To keep a copy up to date, use the change feed instead */
  updated_at: string
}

/** One record */
export type LabReportAnswer = {
  data: LabReport
  /** The related records that the parameter include names */
  included?: {
    /** Records by id. An id without a record is absent */
    products?: Record<string, Product>
    /** Records by id. An id without a record is absent */
    certificates?: Record<string, Certificate>
  }
}

/** A page of records */
export type LabReportPage = {
  /** The records, in the requested order */
  data: LabReport[]
  page: PageInfo
  /** The related records that the parameter include names */
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

/** The customer, the plan and the rights of the token */
export type Me = {
  /** The customer that the token belongs to */
  data: {
    /** Id of the customer */
    customer: string
    /** The plan. Known values: basic, premium, enterprise; more may be added. */
    plan: 'basic' | 'premium' | 'enterprise' | (string & {})
    /** Scopes of the token */
    scopes: string[]
    /** The API key of the token. Null for the demo token */
    key: KeySummary | null
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
  /** The error: invalid_request, invalid_client, unauthorized_client, unsupported_grant_type, invalid_scope */
  error: string
  /** The error in words */
  error_description: string
  /** The page that explains the error */
  error_uri: string
}

/** The position of this page in the list */
export type PageInfo = {
  /** Requested number of records */
  limit: number
  /** Whether another page follows */
  has_more: boolean
  /** Value of the parameter cursor for the next page; null on the last */
  next_cursor: string | null
  /** Number of all matching records, up to 100000, with count=exact */
  total?: number
  /** True if more records may match than total; left out if total is exact */
  total_is_lower_bound?: boolean
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
  /** State of the product. Known values: draft, in_development, active, phase_out, discontinued; more may be added. */
  product_status: 'draft' | 'in_development' | 'active' | 'phase_out' | 'discontinued' | (string & {})
  /** Category, free text */
  category: string | null
  /** Radio technologies on board */
  technologies: ('wifi' | 'bluetooth' | 'cellular' | 'nfc' | 'uwb' | 'srd' | 'gnss' | 'radar' | 'lpwan' | 'satellite' | 'wireless_power' | (string & {}))[]
  /** Hardware version */
  hardware_version: string | null
  /** Software version */
  software_version: string | null
  /** The product that this one is a variant of */
  parent_product_id: string | null
  /** Tags that the customer or the operator chose */
  tags: string[]
  /** Time at which the service first stored the record */
  created_at: string
  /** When the record last changed. To keep a copy up to date, use the change feed instead */
  updated_at: string
}

/** One record */
export type ProductAnswer = {
  data: Product
}

/** A page of records */
export type ProductPage = {
  /** The records, in the requested order */
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
  /** Title of the order */
  title: string
  /** State of the project. Known values: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined; more may be added. */
  status: 'draft' | 'quoted' | 'ordered' | 'in_progress' | 'on_hold' | 'completed' | 'cancelled' | 'declined' | (string & {})
  /** Kind of order. Known values: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting; more may be added. */
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
  /** Tags that the customer or the operator chose */
  tags: string[]
  /** Time at which the service first stored the record */
  created_at: string
  /** When the record last changed. To keep a copy up to date, use the change feed instead */
  updated_at: string
}

/** One record */
export type ProjectAnswer = {
  data: Project
}

/** A page of records */
export type ProjectPage = {
  /** The records, in the requested order */
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

/** A new API key in place of another one */
export type RotatedKey = {
  /** The new API key. Store it before you log in with it */
  api_key: string
  key: KeySummary
  /** End of the new key from its first login on, or null without an end. Until then it ends at `key.expires_at`, a day after this answer */
  expires_at_after_login: string | null
  /** Id of the previous key, which works until then */
  replaces: string
  /** How long the previous key works after the first login with the new one */
  overlap_seconds: number
}

/** An access token */
export type TokenAnswer = {
  /** The token for the Authorization header: a JWT (RFC 9068) that is valid for expires_in seconds */
  access_token: string
  /** How the token is sent: Authorization: Bearer <token> */
  token_type: 'Bearer'
  /** Lifetime of the token, in seconds */
  expires_in: number
  /** The scopes of the token, separated by spaces */
  scope: string
  key: KeySummary
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
  /** The type of client_assertion, for a client that signs (RFC 7523) */
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
  /** The type of client_assertion, for a client that signs (RFC 7523) */
  client_assertion_type?: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  /** Of a client that signs, in place of a secret: a JWT (private_key_jwt), which counts once */
  client_assertion?: string
}

/** The usage of the customer */
export type Usage = {
  /** Days with requests, the newest first */
  data: UsageDay[]
  /** How exact the counts are */
  counted: {
    /** The first day that is kept */
    from: string
    /** Today (UTC) */
    until: string
    /** Seconds after which each process adds its counts. A killed process loses the last ones */
    write_seconds: number
    /** The same in words */
    note: string
  }
}

/** The requests of a day for an endpoint */
export type UsageDay = {
  /** The day (UTC) */
  day: string
  /** Path of the endpoint with names of its parameters. `/v1/*`: unknown addresses */
  endpoint: string
  /** All requests, also by older addresses of the endpoint */
  requests: number
  /** Requests that were answered with 304 */
  not_modified: number
  /** Requests that were answered with a status of 400 or more */
  refused: number
  /** Bytes of the bodies as they were sent, often compressed */
  bytes: number
}

/** A receiver of messages about changes */
export type Webhook = {
  /** Id of the webhook */
  id: string
  /** Address of the receiver */
  url: string
  /** Resources whose changes are reported */
  resources: string[]
  /** The state. `failing`: the receiver did not accept the last message, and the service tries again. Known values: active, failing, disabled; more may be added. */
  state: 'active' | 'failing' | 'disabled' | (string & {})
  /** Why the webhook is disabled; otherwise null. `gone`: the receiver answered 410. Known values: operator, gone, failing; more may be added. */
  reason: 'operator' | 'gone' | 'failing' | (string & {}) | null
  /** Since when no message is accepted; null if the last one was */
  failing_since: string | null
  /** When the service tries again; null if nothing waits */
  next_attempt_at: string | null
  /** Result of the last attempt: a status or an error */
  last_result: string | null
  /** When the receiver last accepted a message; null if never */
  delivered_at: string | null
  /** When the webhook was made */
  created_at: string
}

/** Attempts to send messages to a receiver */
export type WebhookDeliveries = {
  /** The last 20 attempts, the newest first */
  data: WebhookDelivery[]
}

/** An attempt to send a message */
export type WebhookDelivery = {
  /** When the message was sent */
  at: string
  /** Id of the message, the same at each attempt, as in the header webhook-id */
  message_id: string
  /** The status of the answer, or an error */
  result: string
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
  /** One key; two while the service changes its keys. A message has a signature by each */
  keys: WebhookKey[]
}

/** Reports that records changed */
export type WebhookMessage = {
  /** Purpose of the message. A test reports no change. Known values: changes.available, webhook.test; more may be added. */
  type: 'changes.available' | 'webhook.test' | (string & {})
  /** Creation time of the message. The same at each attempt */
  timestamp: string
  /** The changed resources, without the data */
  data: {
    /** Resources in which records changed */
    resources: string[]
    /** Value of `after` for `GET /v1/changes`. `snapshot`: the changes are not known. Omitted in a test */
    after?: string
  }
}

/** The webhooks of the customer */
export type Webhooks = {
  /** The webhooks of the customer, the oldest first */
  data: Webhook[]
}

/** The query parameters of `/v1/history`. */
export type HistoryQuery = {
  /** Any of these resources, separated by commas. Each needs its scope. Default: all that the token may read. */
  resource?: Value | readonly Value[]
  /** Changes at or after this instant or day (UTC). Also relative: `today-30d`. To keep a copy up to date, follow `/v1/changes` instead: a transaction that commits late has an early time. */
  since?: Value
  /** Number of entries on a page. */
  limit?: number
  /** `page.next_cursor` of the previous answer, unchanged, with the same parameters. */
  cursor?: Value
}

/** The query parameters of `/v1/changes`. */
export type ChangesQuery = {
  /** `page.next_token` of the previous answer, unchanged. `snapshot` streams all records as lines, and the header Sync-Token has the token to continue with. Default: start now. */
  after?: Value
  /** The header `Last-Event-ID` of a client that can only send it in the query. Only with `Accept: text/event-stream`. The header overrides it. */
  lastEventId?: Value | readonly Value[]
  /** Any of these resources, separated by commas. Each needs its scope. Default: the token's resources, or all that the key may read. A token belongs to its resources. */
  resources?: Value | readonly Value[]
  /** Number of changes on a page. Not with `after=snapshot`. */
  limit?: number
  /** Seconds to wait for a change if there is none. The answer may arrive earlier, empty and with the same token. Not with `after=snapshot`; `HEAD` does not wait. */
  wait?: number
  /** Adds to each change the previous values of the fields in `changed`. Not with `after=snapshot`. */
  previous?: boolean
  /** Fields of the records, separated by commas. Only with one resource in `resources`. They belong to the token. */
  fields?: Value | readonly Value[]
  /** The filter of the list, without relative dates. Only for certificates, products, projects, countries, lab, approvals. */
  id?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'id[eq]'?: Value
  /** Not equal to this value, or null */
  'id[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'id[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'id[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'id[null]'?: boolean
  /** The filter of the list, without relative dates. Only for certificates. */
  number?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'number[eq]'?: Value
  /** Not equal to this value, or null */
  'number[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'number[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'number[nin]'?: Value | readonly Value[]
  /** Begins with this text */
  'number[prefix]'?: Value
  /** `true`: is null. `false`: is not null */
  'number[null]'?: boolean
  /** The filter of the list, without relative dates. Only for certificates, lab, approvals. */
  product_id?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'product_id[eq]'?: Value
  /** Not equal to this value, or null */
  'product_id[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'product_id[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'product_id[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'product_id[null]'?: boolean
  /** The filter of the list, without relative dates. Only for certificates, lab, approvals. */
  project_id?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'project_id[eq]'?: Value
  /** Not equal to this value, or null */
  'project_id[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'project_id[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'project_id[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'project_id[null]'?: boolean
  /** The filter of the list, without relative dates. Only for certificates. */
  approval_id?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'approval_id[eq]'?: Value
  /** Not equal to this value, or null */
  'approval_id[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'approval_id[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'approval_id[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'approval_id[null]'?: boolean
  /** The filter of the list, without relative dates. Only for certificates, approvals. */
  country_code?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'country_code[eq]'?: Value
  /** Not equal to this value, or null */
  'country_code[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'country_code[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'country_code[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'country_code[null]'?: boolean
  /** The filter of the list, without relative dates. Only for certificates. */
  authority?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'authority[eq]'?: Value
  /** Not equal to this value, or null */
  'authority[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'authority[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'authority[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'authority[null]'?: boolean
  /** The filter of the list, without relative dates. Only for certificates, approvals. */
  scheme?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'scheme[eq]'?: Value
  /** Not equal to this value, or null */
  'scheme[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'scheme[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'scheme[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'scheme[null]'?: boolean
  /** The filter of the list, without relative dates. Only for certificates. */
  certificate_type?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'certificate_type[eq]'?: Value
  /** Not equal to this value, or null */
  'certificate_type[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'certificate_type[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'certificate_type[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'certificate_type[null]'?: boolean
  /** The filter of the list, without relative dates. Only for certificates. */
  approval_status?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'approval_status[eq]'?: Value
  /** Not equal to this value, or null */
  'approval_status[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'approval_status[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'approval_status[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'approval_status[null]'?: boolean
  /** The filter of the list, without relative dates. Only for certificates. */
  validity?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'validity[eq]'?: Value
  /** Not equal to this value, or null */
  'validity[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'validity[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'validity[nin]'?: Value | readonly Value[]
  /** The filter of the list, without relative dates. Only for certificates. */
  expiring?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'expiring[eq]'?: Value
  /** Not equal to this value, or null */
  'expiring[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'expiring[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'expiring[nin]'?: Value | readonly Value[]
  /** The filter of the list, without relative dates. Only for certificates. */
  valid_from?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'valid_from[eq]'?: Value
  /** Not equal to this value, or null */
  'valid_from[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'valid_from[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'valid_from[nin]'?: Value | readonly Value[]
  /** After this */
  'valid_from[gt]'?: Value
  /** At this or after it */
  'valid_from[gte]'?: Value
  /** Before this */
  'valid_from[lt]'?: Value
  /** At this or before it */
  'valid_from[lte]'?: Value
  /** `true`: is null. `false`: is not null */
  'valid_from[null]'?: boolean
  /** The filter of the list, without relative dates. Only for certificates. */
  valid_until?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'valid_until[eq]'?: Value
  /** Not equal to this value, or null */
  'valid_until[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'valid_until[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'valid_until[nin]'?: Value | readonly Value[]
  /** After this */
  'valid_until[gt]'?: Value
  /** At this or after it */
  'valid_until[gte]'?: Value
  /** Before this */
  'valid_until[lt]'?: Value
  /** At this or before it */
  'valid_until[lte]'?: Value
  /** `true`: is null. `false`: is not null */
  'valid_until[null]'?: boolean
  /** The filter of the list, without relative dates. Only for certificates, lab. */
  issued_on?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'issued_on[eq]'?: Value
  /** Not equal to this value, or null */
  'issued_on[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'issued_on[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'issued_on[nin]'?: Value | readonly Value[]
  /** After this */
  'issued_on[gt]'?: Value
  /** At this or after it */
  'issued_on[gte]'?: Value
  /** Before this */
  'issued_on[lt]'?: Value
  /** At this or before it */
  'issued_on[lte]'?: Value
  /** `true`: is null. `false`: is not null */
  'issued_on[null]'?: boolean
  /** The filter of the list, without relative dates. Only for certificates, lab. */
  standards?: Value | readonly Value[]
  /** Contains this value, commas included */
  'standards[eq]'?: Value
  /** Does not contain this value */
  'standards[ne]'?: Value
  /** Contains any of these values. The same as the name alone */
  'standards[in]'?: Value | readonly Value[]
  /** Contains none of these values */
  'standards[nin]'?: Value | readonly Value[]
  /** Contains all of these values */
  'standards[all]'?: Value | readonly Value[]
  /** The filter of the list, without relative dates. Only for certificates, products, projects, lab, approvals. */
  tags?: Value | readonly Value[]
  /** Contains this value, commas included */
  'tags[eq]'?: Value
  /** Does not contain this value */
  'tags[ne]'?: Value
  /** Contains any of these values. The same as the name alone */
  'tags[in]'?: Value | readonly Value[]
  /** Contains none of these values */
  'tags[nin]'?: Value | readonly Value[]
  /** Contains all of these values */
  'tags[all]'?: Value | readonly Value[]
  /** The filter of the list, without relative dates. Only for certificates, products, projects, lab, approvals. */
  created_at?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'created_at[eq]'?: Value
  /** Not equal to this value, or null */
  'created_at[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'created_at[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'created_at[nin]'?: Value | readonly Value[]
  /** After this */
  'created_at[gt]'?: Value
  /** At this or after it */
  'created_at[gte]'?: Value
  /** Before this */
  'created_at[lt]'?: Value
  /** At this or before it */
  'created_at[lte]'?: Value
  /** `true`: is null. `false`: is not null */
  'created_at[null]'?: boolean
  /** The filter of the list, without relative dates. Only for certificates, products, projects, countries, lab, approvals. */
  updated_at?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'updated_at[eq]'?: Value
  /** Not equal to this value, or null */
  'updated_at[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'updated_at[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'updated_at[nin]'?: Value | readonly Value[]
  /** After this */
  'updated_at[gt]'?: Value
  /** At this or after it */
  'updated_at[gte]'?: Value
  /** Before this */
  'updated_at[lt]'?: Value
  /** At this or before it */
  'updated_at[lte]'?: Value
  /** `true`: is null. `false`: is not null */
  'updated_at[null]'?: boolean
  /** The filter of the list, without relative dates. Only for products, countries. */
  name?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'name[eq]'?: Value
  /** Not equal to this value, or null */
  'name[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'name[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'name[nin]'?: Value | readonly Value[]
  /** Begins with this text */
  'name[prefix]'?: Value
  /** `true`: is null. `false`: is not null */
  'name[null]'?: boolean
  /** The filter of the list, without relative dates. Only for products. */
  part_numbers?: Value | readonly Value[]
  /** Contains this value, commas included */
  'part_numbers[eq]'?: Value
  /** Does not contain this value */
  'part_numbers[ne]'?: Value
  /** Contains any of these values. The same as the name alone */
  'part_numbers[in]'?: Value | readonly Value[]
  /** Contains none of these values */
  'part_numbers[nin]'?: Value | readonly Value[]
  /** Contains all of these values */
  'part_numbers[all]'?: Value | readonly Value[]
  /** The filter of the list, without relative dates. Only for products. */
  model?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'model[eq]'?: Value
  /** Not equal to this value, or null */
  'model[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'model[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'model[nin]'?: Value | readonly Value[]
  /** Begins with this text */
  'model[prefix]'?: Value
  /** `true`: is null. `false`: is not null */
  'model[null]'?: boolean
  /** The filter of the list, without relative dates. Only for products. */
  brand?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'brand[eq]'?: Value
  /** Not equal to this value, or null */
  'brand[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'brand[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'brand[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'brand[null]'?: boolean
  /** The filter of the list, without relative dates. Only for products. */
  product_status?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'product_status[eq]'?: Value
  /** Not equal to this value, or null */
  'product_status[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'product_status[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'product_status[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'product_status[null]'?: boolean
  /** The filter of the list, without relative dates. Only for products. */
  category?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'category[eq]'?: Value
  /** Not equal to this value, or null */
  'category[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'category[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'category[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'category[null]'?: boolean
  /** The filter of the list, without relative dates. Only for products. */
  technologies?: Value | readonly Value[]
  /** Contains this value, commas included */
  'technologies[eq]'?: Value
  /** Does not contain this value */
  'technologies[ne]'?: Value
  /** Contains any of these values. The same as the name alone */
  'technologies[in]'?: Value | readonly Value[]
  /** Contains none of these values */
  'technologies[nin]'?: Value | readonly Value[]
  /** Contains all of these values */
  'technologies[all]'?: Value | readonly Value[]
  /** The filter of the list, without relative dates. Only for products. */
  parent_product_id?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'parent_product_id[eq]'?: Value
  /** Not equal to this value, or null */
  'parent_product_id[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'parent_product_id[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'parent_product_id[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'parent_product_id[null]'?: boolean
  /** The filter of the list, without relative dates. Only for projects. */
  project_number?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'project_number[eq]'?: Value
  /** Not equal to this value, or null */
  'project_number[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'project_number[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'project_number[nin]'?: Value | readonly Value[]
  /** Begins with this text */
  'project_number[prefix]'?: Value
  /** `true`: is null. `false`: is not null */
  'project_number[null]'?: boolean
  /** The filter of the list, without relative dates. Only for projects. */
  customer_reference?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'customer_reference[eq]'?: Value
  /** Not equal to this value, or null */
  'customer_reference[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'customer_reference[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'customer_reference[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'customer_reference[null]'?: boolean
  /** The filter of the list, without relative dates. Only for projects, lab, approvals. */
  status?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'status[eq]'?: Value
  /** Not equal to this value, or null */
  'status[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'status[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'status[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'status[null]'?: boolean
  /** The filter of the list, without relative dates. Only for projects. */
  classification?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'classification[eq]'?: Value
  /** Not equal to this value, or null */
  'classification[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'classification[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'classification[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'classification[null]'?: boolean
  /** The filter of the list, without relative dates. Only for projects. */
  product_ids?: Value | readonly Value[]
  /** Contains this value, commas included */
  'product_ids[eq]'?: Value
  /** Does not contain this value */
  'product_ids[ne]'?: Value
  /** Contains any of these values. The same as the name alone */
  'product_ids[in]'?: Value | readonly Value[]
  /** Contains none of these values */
  'product_ids[nin]'?: Value | readonly Value[]
  /** Contains all of these values */
  'product_ids[all]'?: Value | readonly Value[]
  /** The filter of the list, without relative dates. Only for projects. */
  country_codes?: Value | readonly Value[]
  /** Contains this value, commas included */
  'country_codes[eq]'?: Value
  /** Does not contain this value */
  'country_codes[ne]'?: Value
  /** Contains any of these values. The same as the name alone */
  'country_codes[in]'?: Value | readonly Value[]
  /** Contains none of these values */
  'country_codes[nin]'?: Value | readonly Value[]
  /** Contains all of these values */
  'country_codes[all]'?: Value | readonly Value[]
  /** The filter of the list, without relative dates. Only for projects. */
  ordered_on?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'ordered_on[eq]'?: Value
  /** Not equal to this value, or null */
  'ordered_on[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'ordered_on[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'ordered_on[nin]'?: Value | readonly Value[]
  /** After this */
  'ordered_on[gt]'?: Value
  /** At this or after it */
  'ordered_on[gte]'?: Value
  /** Before this */
  'ordered_on[lt]'?: Value
  /** At this or before it */
  'ordered_on[lte]'?: Value
  /** `true`: is null. `false`: is not null */
  'ordered_on[null]'?: boolean
  /** The filter of the list, without relative dates. Only for projects. */
  due_on?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'due_on[eq]'?: Value
  /** Not equal to this value, or null */
  'due_on[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'due_on[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'due_on[nin]'?: Value | readonly Value[]
  /** After this */
  'due_on[gt]'?: Value
  /** At this or after it */
  'due_on[gte]'?: Value
  /** Before this */
  'due_on[lt]'?: Value
  /** At this or before it */
  'due_on[lte]'?: Value
  /** `true`: is null. `false`: is not null */
  'due_on[null]'?: boolean
  /** The filter of the list, without relative dates. Only for projects. */
  completed_on?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'completed_on[eq]'?: Value
  /** Not equal to this value, or null */
  'completed_on[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'completed_on[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'completed_on[nin]'?: Value | readonly Value[]
  /** After this */
  'completed_on[gt]'?: Value
  /** At this or after it */
  'completed_on[gte]'?: Value
  /** Before this */
  'completed_on[lt]'?: Value
  /** At this or before it */
  'completed_on[lte]'?: Value
  /** `true`: is null. `false`: is not null */
  'completed_on[null]'?: boolean
  /** The filter of the list, without relative dates. Only for countries. */
  code?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'code[eq]'?: Value
  /** Not equal to this value, or null */
  'code[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'code[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'code[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'code[null]'?: boolean
  /** The filter of the list, without relative dates. Only for countries. */
  alpha3?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'alpha3[eq]'?: Value
  /** Not equal to this value, or null */
  'alpha3[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'alpha3[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'alpha3[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'alpha3[null]'?: boolean
  /** The filter of the list, without relative dates. Only for countries. */
  region?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'region[eq]'?: Value
  /** Not equal to this value, or null */
  'region[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'region[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'region[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'region[null]'?: boolean
  /** The filter of the list, without relative dates. Only for countries. */
  blocs?: Value | readonly Value[]
  /** Contains this value, commas included */
  'blocs[eq]'?: Value
  /** Does not contain this value */
  'blocs[ne]'?: Value
  /** Contains any of these values. The same as the name alone */
  'blocs[in]'?: Value | readonly Value[]
  /** Contains none of these values */
  'blocs[nin]'?: Value | readonly Value[]
  /** Contains all of these values */
  'blocs[all]'?: Value | readonly Value[]
  /** The filter of the list, without relative dates. Only for lab. */
  report_number?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'report_number[eq]'?: Value
  /** Not equal to this value, or null */
  'report_number[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'report_number[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'report_number[nin]'?: Value | readonly Value[]
  /** Begins with this text */
  'report_number[prefix]'?: Value
  /** `true`: is null. `false`: is not null */
  'report_number[null]'?: boolean
  /** The filter of the list, without relative dates. Only for lab. */
  test_type?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'test_type[eq]'?: Value
  /** Not equal to this value, or null */
  'test_type[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'test_type[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'test_type[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'test_type[null]'?: boolean
  /** The filter of the list, without relative dates. Only for lab. */
  result?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'result[eq]'?: Value
  /** Not equal to this value, or null */
  'result[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'result[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'result[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'result[null]'?: boolean
  /** The filter of the list, without relative dates. Only for lab. */
  laboratory?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'laboratory[eq]'?: Value
  /** Not equal to this value, or null */
  'laboratory[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'laboratory[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'laboratory[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'laboratory[null]'?: boolean
  /** The filter of the list, without relative dates. Only for lab, approvals. */
  certificate_id?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'certificate_id[eq]'?: Value
  /** Not equal to this value, or null */
  'certificate_id[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'certificate_id[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'certificate_id[nin]'?: Value | readonly Value[]
  /** `true`: is null. `false`: is not null */
  'certificate_id[null]'?: boolean
  /** The filter of the list, without relative dates. Only for approvals. */
  open?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'open[eq]'?: Value
  /** Not equal to this value, or null */
  'open[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'open[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'open[nin]'?: Value | readonly Value[]
  /** The filter of the list, without relative dates. Only for approvals. */
  requested_on?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'requested_on[eq]'?: Value
  /** Not equal to this value, or null */
  'requested_on[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'requested_on[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'requested_on[nin]'?: Value | readonly Value[]
  /** After this */
  'requested_on[gt]'?: Value
  /** At this or after it */
  'requested_on[gte]'?: Value
  /** Before this */
  'requested_on[lt]'?: Value
  /** At this or before it */
  'requested_on[lte]'?: Value
  /** `true`: is null. `false`: is not null */
  'requested_on[null]'?: boolean
  /** The filter of the list, without relative dates. Only for approvals. */
  submitted_on?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'submitted_on[eq]'?: Value
  /** Not equal to this value, or null */
  'submitted_on[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'submitted_on[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'submitted_on[nin]'?: Value | readonly Value[]
  /** After this */
  'submitted_on[gt]'?: Value
  /** At this or after it */
  'submitted_on[gte]'?: Value
  /** Before this */
  'submitted_on[lt]'?: Value
  /** At this or before it */
  'submitted_on[lte]'?: Value
  /** `true`: is null. `false`: is not null */
  'submitted_on[null]'?: boolean
  /** The filter of the list, without relative dates. Only for approvals. */
  decided_on?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'decided_on[eq]'?: Value
  /** Not equal to this value, or null */
  'decided_on[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'decided_on[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'decided_on[nin]'?: Value | readonly Value[]
  /** After this */
  'decided_on[gt]'?: Value
  /** At this or after it */
  'decided_on[gte]'?: Value
  /** Before this */
  'decided_on[lt]'?: Value
  /** At this or before it */
  'decided_on[lte]'?: Value
  /** `true`: is null. `false`: is not null */
  'decided_on[null]'?: boolean
  /** The filter of the list, without relative dates. Only for approvals. */
  expected_on?: Value | readonly Value[]
  /** Equal to this value, commas included */
  'expected_on[eq]'?: Value
  /** Not equal to this value, or null */
  'expected_on[ne]'?: Value
  /** Equal to any of these values. The same as the name alone */
  'expected_on[in]'?: Value | readonly Value[]
  /** Equal to none of these values, or null */
  'expected_on[nin]'?: Value | readonly Value[]
  /** After this */
  'expected_on[gt]'?: Value
  /** At this or after it */
  'expected_on[gte]'?: Value
  /** Before this */
  'expected_on[lt]'?: Value
  /** At this or before it */
  'expected_on[lte]'?: Value
  /** `true`: is null. `false`: is not null */
  'expected_on[null]'?: boolean
}

/** The query parameters of `/v1/audit`. */
export type AuditQuery = {
  /** At or after this instant or day (UTC). Also relative: `today-30d`. */
  since?: Value
  /** Before this instant or day (UTC). Also relative to today. */
  until?: Value
  /** Any of these actions, separated by commas. */
  action?: Value | readonly Value[]
  /** Any of these API keys, by id, separated by commas. */
  key?: Value | readonly Value[]
  /** `ok` or `refused`. */
  outcome?: Value | readonly Value[]
  /** Entries after this number. To continue, send the number of your newest entry. */
  after?: Value
  /** Number of rows on a page. Without it, an export has no limit. */
  limit?: number
  /** `page.next_cursor` of the previous answer, unchanged, with the same filters. Not with an export. */
  cursor?: Value
}

/** The query parameters of `/v1/me/keys`. */
export type MeKeysQuery = {
}

/** The query parameters of `/v1/me/usage`. */
export type MeUsageQuery = {
}

/** The query parameters of `/v1/me/webhooks`. */
export type MeWebhooksQuery = {
}

/** The answers and query parameters of each resource. */
export type Resources = {
  certificates: {
    record: Certificate
    page: CertificatePage
    answer: CertificateAnswer
    query: {
      /** Matches any of the given ids, for example `id=crt-lumen-gateway-us,crt-tracker-mini-br`. */
      id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'id[eq]'?: Value
      /** Not equal to this value, or null */
      'id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'id[null]'?: boolean
      /** Matches any of the given numbers, for example `number=2AZZX-LG200,2AZZX-EXW6M`. */
      number?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'number[eq]'?: Value
      /** Not equal to this value, or null */
      'number[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'number[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'number[nin]'?: Value | readonly Value[]
      /** Begins with this text */
      'number[prefix]'?: Value
      /** `true`: is null. `false`: is not null */
      'number[null]'?: boolean
      /** Matches any of the given product ids, for example `product_id=prd-lumen-gateway,prd-tracker-mini`. */
      product_id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'product_id[eq]'?: Value
      /** Not equal to this value, or null */
      'product_id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'product_id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'product_id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'product_id[null]'?: boolean
      /** Matches any of the given project ids, for example `project_id=prj-1001,prj-1002`. */
      project_id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'project_id[eq]'?: Value
      /** Not equal to this value, or null */
      'project_id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'project_id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'project_id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'project_id[null]'?: boolean
      /** Matches any of the given approval ids, for example `approval_id=apr-lumen-gateway-us`. */
      approval_id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'approval_id[eq]'?: Value
      /** Not equal to this value, or null */
      'approval_id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'approval_id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'approval_id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'approval_id[null]'?: boolean
      /** Matches any of the given country codes, for example `country_code=US,BR`. */
      country_code?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'country_code[eq]'?: Value
      /** Not equal to this value, or null */
      'country_code[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'country_code[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'country_code[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'country_code[null]'?: boolean
      /** Matches any of the given authorities, for example `authority=FCC,ANATEL`. */
      authority?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'authority[eq]'?: Value
      /** Not equal to this value, or null */
      'authority[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'authority[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'authority[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'authority[null]'?: boolean
      /** Matches any of the given schemes, for example `scheme=FCC ID,CE RED`. */
      scheme?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'scheme[eq]'?: Value
      /** Not equal to this value, or null */
      'scheme[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'scheme[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'scheme[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'scheme[null]'?: boolean
      /** Matches any of the given certificate types, for example `certificate_type=type_approval`. Values: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other. */
      certificate_type?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'certificate_type[eq]'?: Value
      /** Not equal to this value, or null */
      'certificate_type[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'certificate_type[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'certificate_type[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'certificate_type[null]'?: boolean
      /** Matches any of the given approval statuses, for example `approval_status=approved`. Values: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded. */
      approval_status?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'approval_status[eq]'?: Value
      /** Not equal to this value, or null */
      'approval_status[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'approval_status[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'approval_status[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'approval_status[null]'?: boolean
      /** Matches any of the given validities, for example `validity=valid`. Values: not_yet_valid, valid, expired, void. */
      validity?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'validity[eq]'?: Value
      /** Not equal to this value, or null */
      'validity[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'validity[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'validity[nin]'?: Value | readonly Value[]
      /** `true` or `false`, for example `expiring=false`. */
      expiring?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'expiring[eq]'?: Value
      /** Not equal to this value, or null */
      'expiring[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'expiring[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'expiring[nin]'?: Value | readonly Value[]
      /** A day, for example `valid_from[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      valid_from?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'valid_from[eq]'?: Value
      /** Not equal to this value, or null */
      'valid_from[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'valid_from[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'valid_from[nin]'?: Value | readonly Value[]
      /** After this */
      'valid_from[gt]'?: Value
      /** At this or after it */
      'valid_from[gte]'?: Value
      /** Before this */
      'valid_from[lt]'?: Value
      /** At this or before it */
      'valid_from[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'valid_from[null]'?: boolean
      /** A day, for example `valid_until[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      valid_until?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'valid_until[eq]'?: Value
      /** Not equal to this value, or null */
      'valid_until[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'valid_until[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'valid_until[nin]'?: Value | readonly Value[]
      /** After this */
      'valid_until[gt]'?: Value
      /** At this or after it */
      'valid_until[gte]'?: Value
      /** Before this */
      'valid_until[lt]'?: Value
      /** At this or before it */
      'valid_until[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'valid_until[null]'?: boolean
      /** A day, for example `issued_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      issued_on?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'issued_on[eq]'?: Value
      /** Not equal to this value, or null */
      'issued_on[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'issued_on[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'issued_on[nin]'?: Value | readonly Value[]
      /** After this */
      'issued_on[gt]'?: Value
      /** At this or after it */
      'issued_on[gte]'?: Value
      /** Before this */
      'issued_on[lt]'?: Value
      /** At this or before it */
      'issued_on[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'issued_on[null]'?: boolean
      /** Contains any of the given standards, for example `standards=FCC Part 15C,FCC Part 15B`. */
      standards?: Value | readonly Value[]
      /** Contains this value, commas included */
      'standards[eq]'?: Value
      /** Does not contain this value */
      'standards[ne]'?: Value
      /** Contains any of these values. The same as the name alone */
      'standards[in]'?: Value | readonly Value[]
      /** Contains none of these values */
      'standards[nin]'?: Value | readonly Value[]
      /** Contains all of these values */
      'standards[all]'?: Value | readonly Value[]
      /** Contains any of the given tags, for example `tags=in-force,flagship`. */
      tags?: Value | readonly Value[]
      /** Contains this value, commas included */
      'tags[eq]'?: Value
      /** Does not contain this value */
      'tags[ne]'?: Value
      /** Contains any of these values. The same as the name alone */
      'tags[in]'?: Value | readonly Value[]
      /** Contains none of these values */
      'tags[nin]'?: Value | readonly Value[]
      /** Contains all of these values */
      'tags[all]'?: Value | readonly Value[]
      /** An instant or a day (UTC), for example `created_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      created_at?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'created_at[eq]'?: Value
      /** Not equal to this value, or null */
      'created_at[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'created_at[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'created_at[nin]'?: Value | readonly Value[]
      /** After this */
      'created_at[gt]'?: Value
      /** At this or after it */
      'created_at[gte]'?: Value
      /** Before this */
      'created_at[lt]'?: Value
      /** At this or before it */
      'created_at[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'created_at[null]'?: boolean
      /** An instant or a day (UTC), for example `updated_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      updated_at?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'updated_at[eq]'?: Value
      /** Not equal to this value, or null */
      'updated_at[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'updated_at[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'updated_at[nin]'?: Value | readonly Value[]
      /** After this */
      'updated_at[gt]'?: Value
      /** At this or after it */
      'updated_at[gte]'?: Value
      /** Before this */
      'updated_at[lt]'?: Value
      /** At this or before it */
      'updated_at[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'updated_at[null]'?: boolean
      /** Searches for words. Each must begin a word of `number`, `title`, `holder`. Case and accents do not matter. 1 to 5 words of at least two letters or digits. */
      q?: Value | readonly Value[]
      /** At most 3 keys, separated by commas. A leading `-` reverses a key. Keys: `valid_until`, `valid_from`, `issued_on`, `number`, `updated_at`, `created_at`, `id`. Null is the greatest value. `id` breaks ties. To read all pages while records change, sort by `id`, which never changes. */
      sort?: Value | readonly Value[]
      /** Number of records on a page. Without it, an export has no limit. */
      limit?: number
      /** `page.next_cursor` of the previous answer, unchanged, with the same filters and sort. Not with an export. */
      cursor?: Value
      /** Adds `page.total`, the number of all matching records up to 100000. Not with an export. */
      count?: 'exact'
      /** Only these fields, separated by commas. `id` is always included. Default: all fields. */
      fields?: Value | readonly Value[]
      /** Adds related records under `included`, by id. Separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `project` needs projects:read, `country` needs countries:read. */
      include?: Value | readonly Value[]
      /** Computes the answer for this day with today's statuses: a day, or `today`, `today+90d`, `today-30d`. */
      on?: Value
      /** Number of days before its end in which a certificate counts as expiring. Default: the customer's setting. */
      expiring_within?: number
    }
    itemQuery: {
      /** Only these fields, separated by commas. `id` is always included. Default: all fields. */
      fields?: Value | readonly Value[]
      /** Adds related records under `included`, by id. Separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `project` needs projects:read, `country` needs countries:read. */
      include?: Value | readonly Value[]
      /** Computes the answer for this day with today's statuses: a day, or `today`, `today+90d`, `today-30d`. */
      on?: Value
      /** Shows the certificate as it was at the end of this day (UTC): a day, or `today-30d`. Not with `on` and `include`. */
      as_of?: Value
      /** Number of days before its end in which a certificate counts as expiring. Default: the customer's setting. */
      expiring_within?: number
    }
  }
  products: {
    record: Product
    page: ProductPage
    answer: ProductAnswer
    query: {
      /** Matches any of the given ids, for example `id=prd-lumen-gateway,prd-tracker-mini`. */
      id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'id[eq]'?: Value
      /** Not equal to this value, or null */
      'id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'id[null]'?: boolean
      /** Matches any of the given names, for example `name=Lumen Gateway,Tracker Mini`. */
      name?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'name[eq]'?: Value
      /** Not equal to this value, or null */
      'name[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'name[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'name[nin]'?: Value | readonly Value[]
      /** Begins with this text */
      'name[prefix]'?: Value
      /** `true`: is null. `false`: is not null */
      'name[null]'?: boolean
      /** Contains any of the given part numbers, for example `part_numbers=EXD-LG200-EU,EXD-LG200-US`. */
      part_numbers?: Value | readonly Value[]
      /** Contains this value, commas included */
      'part_numbers[eq]'?: Value
      /** Does not contain this value */
      'part_numbers[ne]'?: Value
      /** Contains any of these values. The same as the name alone */
      'part_numbers[in]'?: Value | readonly Value[]
      /** Contains none of these values */
      'part_numbers[nin]'?: Value | readonly Value[]
      /** Contains all of these values */
      'part_numbers[all]'?: Value | readonly Value[]
      /** Matches any of the given models, for example `model=LG200`. */
      model?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'model[eq]'?: Value
      /** Not equal to this value, or null */
      'model[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'model[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'model[nin]'?: Value | readonly Value[]
      /** Begins with this text */
      'model[prefix]'?: Value
      /** `true`: is null. `false`: is not null */
      'model[null]'?: boolean
      /** Matches any of the given brands, for example `brand=Exampleware`. */
      brand?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'brand[eq]'?: Value
      /** Not equal to this value, or null */
      'brand[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'brand[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'brand[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'brand[null]'?: boolean
      /** Matches any of the given product statuses, for example `product_status=active`. Values: draft, in_development, active, phase_out, discontinued. */
      product_status?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'product_status[eq]'?: Value
      /** Not equal to this value, or null */
      'product_status[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'product_status[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'product_status[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'product_status[null]'?: boolean
      /** Matches any of the given categories, for example `category=IoT gateway,Radio module`. */
      category?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'category[eq]'?: Value
      /** Not equal to this value, or null */
      'category[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'category[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'category[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'category[null]'?: boolean
      /** Contains any of the given technologies, for example `technologies=wifi,bluetooth`. Values: wifi, bluetooth, cellular, nfc, uwb, srd, gnss, radar, lpwan, satellite, wireless_power. */
      technologies?: Value | readonly Value[]
      /** Contains this value, commas included */
      'technologies[eq]'?: Value
      /** Does not contain this value */
      'technologies[ne]'?: Value
      /** Contains any of these values. The same as the name alone */
      'technologies[in]'?: Value | readonly Value[]
      /** Contains none of these values */
      'technologies[nin]'?: Value | readonly Value[]
      /** Contains all of these values */
      'technologies[all]'?: Value | readonly Value[]
      /** Matches any of the given parent product ids, for example `parent_product_id=prd-lumen-gateway`. */
      parent_product_id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'parent_product_id[eq]'?: Value
      /** Not equal to this value, or null */
      'parent_product_id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'parent_product_id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'parent_product_id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'parent_product_id[null]'?: boolean
      /** Contains any of the given tags, for example `tags=connected-home`. */
      tags?: Value | readonly Value[]
      /** Contains this value, commas included */
      'tags[eq]'?: Value
      /** Does not contain this value */
      'tags[ne]'?: Value
      /** Contains any of these values. The same as the name alone */
      'tags[in]'?: Value | readonly Value[]
      /** Contains none of these values */
      'tags[nin]'?: Value | readonly Value[]
      /** Contains all of these values */
      'tags[all]'?: Value | readonly Value[]
      /** An instant or a day (UTC), for example `created_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      created_at?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'created_at[eq]'?: Value
      /** Not equal to this value, or null */
      'created_at[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'created_at[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'created_at[nin]'?: Value | readonly Value[]
      /** After this */
      'created_at[gt]'?: Value
      /** At this or after it */
      'created_at[gte]'?: Value
      /** Before this */
      'created_at[lt]'?: Value
      /** At this or before it */
      'created_at[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'created_at[null]'?: boolean
      /** An instant or a day (UTC), for example `updated_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      updated_at?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'updated_at[eq]'?: Value
      /** Not equal to this value, or null */
      'updated_at[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'updated_at[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'updated_at[nin]'?: Value | readonly Value[]
      /** After this */
      'updated_at[gt]'?: Value
      /** At this or after it */
      'updated_at[gte]'?: Value
      /** Before this */
      'updated_at[lt]'?: Value
      /** At this or before it */
      'updated_at[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'updated_at[null]'?: boolean
      /** Searches for words. Each must begin a word of `name`, `part_numbers`, `model`, `brand`, `manufacturer`. Case and accents do not matter. 1 to 5 words of at least two letters or digits. */
      q?: Value | readonly Value[]
      /** At most 3 keys, separated by commas. A leading `-` reverses a key. Keys: `name`, `model`, `updated_at`, `created_at`, `id`. Null is the greatest value. `id` breaks ties. To read all pages while records change, sort by `id`, which never changes. */
      sort?: Value | readonly Value[]
      /** Number of records on a page. Without it, an export has no limit. */
      limit?: number
      /** `page.next_cursor` of the previous answer, unchanged, with the same filters and sort. Not with an export. */
      cursor?: Value
      /** Adds `page.total`, the number of all matching records up to 100000. Not with an export. */
      count?: 'exact'
      /** Only these fields, separated by commas. `id` is always included. Default: all fields. */
      fields?: Value | readonly Value[]
    }
    itemQuery: {
      /** Only these fields, separated by commas. `id` is always included. Default: all fields. */
      fields?: Value | readonly Value[]
      /** Shows the product as it was at the end of this day (UTC): a day, or `today-30d`. Not with `on` and `include`. */
      as_of?: Value
    }
  }
  projects: {
    record: Project
    page: ProjectPage
    answer: ProjectAnswer
    query: {
      /** Matches any of the given ids, for example `id=prj-1001,prj-1002`. */
      id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'id[eq]'?: Value
      /** Not equal to this value, or null */
      'id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'id[null]'?: boolean
      /** Matches any of the given project numbers, for example `project_number=EXD-1001,EXD-1002`. */
      project_number?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'project_number[eq]'?: Value
      /** Not equal to this value, or null */
      'project_number[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'project_number[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'project_number[nin]'?: Value | readonly Value[]
      /** Begins with this text */
      'project_number[prefix]'?: Value
      /** `true`: is null. `false`: is not null */
      'project_number[null]'?: boolean
      /** Matches any of the given customer references, for example `customer_reference=PO-4500011873`. */
      customer_reference?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'customer_reference[eq]'?: Value
      /** Not equal to this value, or null */
      'customer_reference[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'customer_reference[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'customer_reference[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'customer_reference[null]'?: boolean
      /** Matches any of the given statuses, for example `status=completed`. Values: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined. */
      status?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'status[eq]'?: Value
      /** Not equal to this value, or null */
      'status[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'status[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'status[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'status[null]'?: boolean
      /** Matches any of the given classifications, for example `classification=new_certification`. Values: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting. */
      classification?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'classification[eq]'?: Value
      /** Not equal to this value, or null */
      'classification[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'classification[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'classification[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'classification[null]'?: boolean
      /** Contains any of the given product ids, for example `product_ids=prd-lumen-gateway`. */
      product_ids?: Value | readonly Value[]
      /** Contains this value, commas included */
      'product_ids[eq]'?: Value
      /** Does not contain this value */
      'product_ids[ne]'?: Value
      /** Contains any of these values. The same as the name alone */
      'product_ids[in]'?: Value | readonly Value[]
      /** Contains none of these values */
      'product_ids[nin]'?: Value | readonly Value[]
      /** Contains all of these values */
      'product_ids[all]'?: Value | readonly Value[]
      /** Contains any of the given country codes, for example `country_codes=US,CA`. */
      country_codes?: Value | readonly Value[]
      /** Contains this value, commas included */
      'country_codes[eq]'?: Value
      /** Does not contain this value */
      'country_codes[ne]'?: Value
      /** Contains any of these values. The same as the name alone */
      'country_codes[in]'?: Value | readonly Value[]
      /** Contains none of these values */
      'country_codes[nin]'?: Value | readonly Value[]
      /** Contains all of these values */
      'country_codes[all]'?: Value | readonly Value[]
      /** A day, for example `ordered_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      ordered_on?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'ordered_on[eq]'?: Value
      /** Not equal to this value, or null */
      'ordered_on[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'ordered_on[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'ordered_on[nin]'?: Value | readonly Value[]
      /** After this */
      'ordered_on[gt]'?: Value
      /** At this or after it */
      'ordered_on[gte]'?: Value
      /** Before this */
      'ordered_on[lt]'?: Value
      /** At this or before it */
      'ordered_on[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'ordered_on[null]'?: boolean
      /** A day, for example `due_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      due_on?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'due_on[eq]'?: Value
      /** Not equal to this value, or null */
      'due_on[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'due_on[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'due_on[nin]'?: Value | readonly Value[]
      /** After this */
      'due_on[gt]'?: Value
      /** At this or after it */
      'due_on[gte]'?: Value
      /** Before this */
      'due_on[lt]'?: Value
      /** At this or before it */
      'due_on[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'due_on[null]'?: boolean
      /** A day, for example `completed_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      completed_on?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'completed_on[eq]'?: Value
      /** Not equal to this value, or null */
      'completed_on[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'completed_on[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'completed_on[nin]'?: Value | readonly Value[]
      /** After this */
      'completed_on[gt]'?: Value
      /** At this or after it */
      'completed_on[gte]'?: Value
      /** Before this */
      'completed_on[lt]'?: Value
      /** At this or before it */
      'completed_on[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'completed_on[null]'?: boolean
      /** Contains any of the given tags, for example `tags=flagship,strategic`. */
      tags?: Value | readonly Value[]
      /** Contains this value, commas included */
      'tags[eq]'?: Value
      /** Does not contain this value */
      'tags[ne]'?: Value
      /** Contains any of these values. The same as the name alone */
      'tags[in]'?: Value | readonly Value[]
      /** Contains none of these values */
      'tags[nin]'?: Value | readonly Value[]
      /** Contains all of these values */
      'tags[all]'?: Value | readonly Value[]
      /** An instant or a day (UTC), for example `created_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      created_at?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'created_at[eq]'?: Value
      /** Not equal to this value, or null */
      'created_at[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'created_at[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'created_at[nin]'?: Value | readonly Value[]
      /** After this */
      'created_at[gt]'?: Value
      /** At this or after it */
      'created_at[gte]'?: Value
      /** Before this */
      'created_at[lt]'?: Value
      /** At this or before it */
      'created_at[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'created_at[null]'?: boolean
      /** An instant or a day (UTC), for example `updated_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      updated_at?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'updated_at[eq]'?: Value
      /** Not equal to this value, or null */
      'updated_at[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'updated_at[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'updated_at[nin]'?: Value | readonly Value[]
      /** After this */
      'updated_at[gt]'?: Value
      /** At this or after it */
      'updated_at[gte]'?: Value
      /** Before this */
      'updated_at[lt]'?: Value
      /** At this or before it */
      'updated_at[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'updated_at[null]'?: boolean
      /** Searches for words. Each must begin a word of `project_number`, `customer_reference`, `title`. Case and accents do not matter. 1 to 5 words of at least two letters or digits. */
      q?: Value | readonly Value[]
      /** At most 3 keys, separated by commas. A leading `-` reverses a key. Keys: `project_number`, `due_on`, `ordered_on`, `updated_at`, `created_at`, `id`. Null is the greatest value. `id` breaks ties. To read all pages while records change, sort by `id`, which never changes. */
      sort?: Value | readonly Value[]
      /** Number of records on a page. Without it, an export has no limit. */
      limit?: number
      /** `page.next_cursor` of the previous answer, unchanged, with the same filters and sort. Not with an export. */
      cursor?: Value
      /** Adds `page.total`, the number of all matching records up to 100000. Not with an export. */
      count?: 'exact'
      /** Only these fields, separated by commas. `id` is always included. Default: all fields. */
      fields?: Value | readonly Value[]
    }
    itemQuery: {
      /** Only these fields, separated by commas. `id` is always included. Default: all fields. */
      fields?: Value | readonly Value[]
      /** Shows the project as it was at the end of this day (UTC): a day, or `today-30d`. Not with `on` and `include`. */
      as_of?: Value
    }
  }
  countries: {
    record: Country
    page: CountryPage
    answer: CountryAnswer
    query: {
      /** Matches any of the given ids, for example `id=US,BR`. */
      id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'id[eq]'?: Value
      /** Not equal to this value, or null */
      'id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'id[null]'?: boolean
      /** Matches any of the given codes, for example `code=US,BR`. */
      code?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'code[eq]'?: Value
      /** Not equal to this value, or null */
      'code[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'code[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'code[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'code[null]'?: boolean
      /** Matches any of the given alpha3 codes, for example `alpha3=USA`. */
      alpha3?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'alpha3[eq]'?: Value
      /** Not equal to this value, or null */
      'alpha3[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'alpha3[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'alpha3[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'alpha3[null]'?: boolean
      /** Matches any of the given names, for example `name=United States`. */
      name?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'name[eq]'?: Value
      /** Not equal to this value, or null */
      'name[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'name[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'name[nin]'?: Value | readonly Value[]
      /** Begins with this text */
      'name[prefix]'?: Value
      /** `true`: is null. `false`: is not null */
      'name[null]'?: boolean
      /** Matches any of the given regions, for example `region=americas`. Values: europe, americas, asia_pacific, middle_east_africa, cis. */
      region?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'region[eq]'?: Value
      /** Not equal to this value, or null */
      'region[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'region[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'region[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'region[null]'?: boolean
      /** Contains any of the given blocs, for example `blocs=USMCA`. */
      blocs?: Value | readonly Value[]
      /** Contains this value, commas included */
      'blocs[eq]'?: Value
      /** Does not contain this value */
      'blocs[ne]'?: Value
      /** Contains any of these values. The same as the name alone */
      'blocs[in]'?: Value | readonly Value[]
      /** Contains none of these values */
      'blocs[nin]'?: Value | readonly Value[]
      /** Contains all of these values */
      'blocs[all]'?: Value | readonly Value[]
      /** An instant or a day (UTC), for example `updated_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      updated_at?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'updated_at[eq]'?: Value
      /** Not equal to this value, or null */
      'updated_at[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'updated_at[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'updated_at[nin]'?: Value | readonly Value[]
      /** After this */
      'updated_at[gt]'?: Value
      /** At this or after it */
      'updated_at[gte]'?: Value
      /** Before this */
      'updated_at[lt]'?: Value
      /** At this or before it */
      'updated_at[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'updated_at[null]'?: boolean
      /** Searches for words. Each must begin a word of `code`, `alpha3`, `name`, `authorities`. Case and accents do not matter. 1 to 5 words of at least two letters or digits. */
      q?: Value | readonly Value[]
      /** At most 3 keys, separated by commas. A leading `-` reverses a key. Keys: `code`, `name`, `region`, `id`. Null is the greatest value. `id` breaks ties. To read all pages while records change, sort by `id`, which never changes. */
      sort?: Value | readonly Value[]
      /** Number of records on a page. Without it, an export has no limit. */
      limit?: number
      /** `page.next_cursor` of the previous answer, unchanged, with the same filters and sort. Not with an export. */
      cursor?: Value
      /** Adds `page.total`, the number of all matching records up to 100000. Not with an export. */
      count?: 'exact'
      /** Only these fields, separated by commas. `id` is always included. Default: all fields. */
      fields?: Value | readonly Value[]
      /** Computes the answer for this day with today's statuses: a day, or `today`, `today+90d`, `today-30d`. */
      on?: Value
      /** Number of days before its end in which a certificate counts as expiring. Default: the customer's setting. */
      expiring_within?: number
    }
    itemQuery: {
      /** Only these fields, separated by commas. `id` is always included. Default: all fields. */
      fields?: Value | readonly Value[]
      /** Computes the answer for this day with today's statuses: a day, or `today`, `today+90d`, `today-30d`. */
      on?: Value
      /** Shows the country as it was at the end of this day (UTC): a day, or `today-30d`. Not with `on` and `include`. */
      as_of?: Value
      /** Number of days before its end in which a certificate counts as expiring. Default: the customer's setting. */
      expiring_within?: number
    }
  }
  lab: {
    record: LabReport
    page: LabReportPage
    answer: LabReportAnswer
    query: {
      /** Matches any of the given ids, for example `id=lab-lumen-gateway-004,lab-lumen-gateway-006`. */
      id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'id[eq]'?: Value
      /** Not equal to this value, or null */
      'id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'id[null]'?: boolean
      /** Matches any of the given report numbers, for example `report_number=EXD-TR-004,EXD-TR-006`. */
      report_number?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'report_number[eq]'?: Value
      /** Not equal to this value, or null */
      'report_number[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'report_number[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'report_number[nin]'?: Value | readonly Value[]
      /** Begins with this text */
      'report_number[prefix]'?: Value
      /** `true`: is null. `false`: is not null */
      'report_number[null]'?: boolean
      /** Matches any of the given test types, for example `test_type=radio`. Values: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy. */
      test_type?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'test_type[eq]'?: Value
      /** Not equal to this value, or null */
      'test_type[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'test_type[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'test_type[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'test_type[null]'?: boolean
      /** Contains any of the given standards, for example `standards=EN 300 328 V2.2.2,FCC Part 15C`. */
      standards?: Value | readonly Value[]
      /** Contains this value, commas included */
      'standards[eq]'?: Value
      /** Does not contain this value */
      'standards[ne]'?: Value
      /** Contains any of these values. The same as the name alone */
      'standards[in]'?: Value | readonly Value[]
      /** Contains none of these values */
      'standards[nin]'?: Value | readonly Value[]
      /** Contains all of these values */
      'standards[all]'?: Value | readonly Value[]
      /** Matches any of the given statuses, for example `status=issued`. Values: planned, in_testing, draft, issued, superseded, withdrawn, cancelled. */
      status?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'status[eq]'?: Value
      /** Not equal to this value, or null */
      'status[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'status[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'status[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'status[null]'?: boolean
      /** Matches any of the given results, for example `result=pass`. Values: pass, fail, pass_with_deviation, inconclusive. */
      result?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'result[eq]'?: Value
      /** Not equal to this value, or null */
      'result[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'result[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'result[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'result[null]'?: boolean
      /** Matches any of the given laboratories, for example `laboratory=Bayside Radio Testing\, Inc.`. */
      laboratory?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'laboratory[eq]'?: Value
      /** Not equal to this value, or null */
      'laboratory[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'laboratory[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'laboratory[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'laboratory[null]'?: boolean
      /** Matches any of the given product ids, for example `product_id=prd-lumen-gateway,prd-tracker-mini`. */
      product_id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'product_id[eq]'?: Value
      /** Not equal to this value, or null */
      'product_id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'product_id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'product_id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'product_id[null]'?: boolean
      /** Matches any of the given project ids, for example `project_id=prj-1001,prj-1002`. */
      project_id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'project_id[eq]'?: Value
      /** Not equal to this value, or null */
      'project_id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'project_id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'project_id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'project_id[null]'?: boolean
      /** Matches any of the given certificate ids, for example `certificate_id=crt-lumen-gateway-us`. */
      certificate_id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'certificate_id[eq]'?: Value
      /** Not equal to this value, or null */
      'certificate_id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'certificate_id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'certificate_id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'certificate_id[null]'?: boolean
      /** A day, for example `issued_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      issued_on?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'issued_on[eq]'?: Value
      /** Not equal to this value, or null */
      'issued_on[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'issued_on[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'issued_on[nin]'?: Value | readonly Value[]
      /** After this */
      'issued_on[gt]'?: Value
      /** At this or after it */
      'issued_on[gte]'?: Value
      /** Before this */
      'issued_on[lt]'?: Value
      /** At this or before it */
      'issued_on[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'issued_on[null]'?: boolean
      /** Contains any of the given tags, for example `tags=attention`. */
      tags?: Value | readonly Value[]
      /** Contains this value, commas included */
      'tags[eq]'?: Value
      /** Does not contain this value */
      'tags[ne]'?: Value
      /** Contains any of these values. The same as the name alone */
      'tags[in]'?: Value | readonly Value[]
      /** Contains none of these values */
      'tags[nin]'?: Value | readonly Value[]
      /** Contains all of these values */
      'tags[all]'?: Value | readonly Value[]
      /** An instant or a day (UTC), for example `created_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      created_at?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'created_at[eq]'?: Value
      /** Not equal to this value, or null */
      'created_at[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'created_at[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'created_at[nin]'?: Value | readonly Value[]
      /** After this */
      'created_at[gt]'?: Value
      /** At this or after it */
      'created_at[gte]'?: Value
      /** Before this */
      'created_at[lt]'?: Value
      /** At this or before it */
      'created_at[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'created_at[null]'?: boolean
      /** An instant or a day (UTC), for example `updated_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      updated_at?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'updated_at[eq]'?: Value
      /** Not equal to this value, or null */
      'updated_at[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'updated_at[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'updated_at[nin]'?: Value | readonly Value[]
      /** After this */
      'updated_at[gt]'?: Value
      /** At this or after it */
      'updated_at[gte]'?: Value
      /** Before this */
      'updated_at[lt]'?: Value
      /** At this or before it */
      'updated_at[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'updated_at[null]'?: boolean
      /** Searches for words. Each must begin a word of `report_number`, `title`, `laboratory`. Case and accents do not matter. 1 to 5 words of at least two letters or digits. */
      q?: Value | readonly Value[]
      /** At most 3 keys, separated by commas. A leading `-` reverses a key. Keys: `issued_on`, `report_number`, `updated_at`, `created_at`, `id`. Null is the greatest value. `id` breaks ties. To read all pages while records change, sort by `id`, which never changes. */
      sort?: Value | readonly Value[]
      /** Number of records on a page. Without it, an export has no limit. */
      limit?: number
      /** `page.next_cursor` of the previous answer, unchanged, with the same filters and sort. Not with an export. */
      cursor?: Value
      /** Adds `page.total`, the number of all matching records up to 100000. Not with an export. */
      count?: 'exact'
      /** Only these fields, separated by commas. `id` is always included. Default: all fields. */
      fields?: Value | readonly Value[]
      /** Adds related records under `included`, by id. Separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `certificate` needs certificates:read. */
      include?: Value | readonly Value[]
    }
    itemQuery: {
      /** Only these fields, separated by commas. `id` is always included. Default: all fields. */
      fields?: Value | readonly Value[]
      /** Adds related records under `included`, by id. Separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `certificate` needs certificates:read. */
      include?: Value | readonly Value[]
      /** Shows the test report as it was at the end of this day (UTC): a day, or `today-30d`. Not with `on` and `include`. */
      as_of?: Value
    }
  }
  approvals: {
    record: Approval
    page: ApprovalPage
    answer: ApprovalAnswer
    query: {
      /** Matches any of the given ids, for example `id=apr-lumen-gateway-us,apr-tracker-mini-br`. */
      id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'id[eq]'?: Value
      /** Not equal to this value, or null */
      'id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'id[null]'?: boolean
      /** Matches any of the given product ids, for example `product_id=prd-lumen-gateway,prd-tracker-mini`. */
      product_id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'product_id[eq]'?: Value
      /** Not equal to this value, or null */
      'product_id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'product_id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'product_id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'product_id[null]'?: boolean
      /** Matches any of the given country codes, for example `country_code=US,BR`. */
      country_code?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'country_code[eq]'?: Value
      /** Not equal to this value, or null */
      'country_code[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'country_code[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'country_code[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'country_code[null]'?: boolean
      /** Matches any of the given schemes, for example `scheme=FCC ID,CE RED`. */
      scheme?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'scheme[eq]'?: Value
      /** Not equal to this value, or null */
      'scheme[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'scheme[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'scheme[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'scheme[null]'?: boolean
      /** Matches any of the given project ids, for example `project_id=prj-1001,prj-1002`. */
      project_id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'project_id[eq]'?: Value
      /** Not equal to this value, or null */
      'project_id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'project_id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'project_id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'project_id[null]'?: boolean
      /** Matches any of the given certificate ids, for example `certificate_id=crt-lumen-gateway-us`. */
      certificate_id?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'certificate_id[eq]'?: Value
      /** Not equal to this value, or null */
      'certificate_id[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'certificate_id[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'certificate_id[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'certificate_id[null]'?: boolean
      /** Matches any of the given statuses, for example `status=granted`. Values: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required. */
      status?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'status[eq]'?: Value
      /** Not equal to this value, or null */
      'status[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'status[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'status[nin]'?: Value | readonly Value[]
      /** `true`: is null. `false`: is not null */
      'status[null]'?: boolean
      /** `true` or `false`, for example `open=false`. */
      open?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'open[eq]'?: Value
      /** Not equal to this value, or null */
      'open[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'open[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'open[nin]'?: Value | readonly Value[]
      /** A day, for example `requested_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      requested_on?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'requested_on[eq]'?: Value
      /** Not equal to this value, or null */
      'requested_on[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'requested_on[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'requested_on[nin]'?: Value | readonly Value[]
      /** After this */
      'requested_on[gt]'?: Value
      /** At this or after it */
      'requested_on[gte]'?: Value
      /** Before this */
      'requested_on[lt]'?: Value
      /** At this or before it */
      'requested_on[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'requested_on[null]'?: boolean
      /** A day, for example `submitted_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      submitted_on?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'submitted_on[eq]'?: Value
      /** Not equal to this value, or null */
      'submitted_on[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'submitted_on[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'submitted_on[nin]'?: Value | readonly Value[]
      /** After this */
      'submitted_on[gt]'?: Value
      /** At this or after it */
      'submitted_on[gte]'?: Value
      /** Before this */
      'submitted_on[lt]'?: Value
      /** At this or before it */
      'submitted_on[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'submitted_on[null]'?: boolean
      /** A day, for example `decided_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      decided_on?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'decided_on[eq]'?: Value
      /** Not equal to this value, or null */
      'decided_on[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'decided_on[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'decided_on[nin]'?: Value | readonly Value[]
      /** After this */
      'decided_on[gt]'?: Value
      /** At this or after it */
      'decided_on[gte]'?: Value
      /** Before this */
      'decided_on[lt]'?: Value
      /** At this or before it */
      'decided_on[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'decided_on[null]'?: boolean
      /** A day, for example `expected_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      expected_on?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'expected_on[eq]'?: Value
      /** Not equal to this value, or null */
      'expected_on[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'expected_on[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'expected_on[nin]'?: Value | readonly Value[]
      /** After this */
      'expected_on[gt]'?: Value
      /** At this or after it */
      'expected_on[gte]'?: Value
      /** Before this */
      'expected_on[lt]'?: Value
      /** At this or before it */
      'expected_on[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'expected_on[null]'?: boolean
      /** Contains any of the given tags, for example `tags=renewal`. */
      tags?: Value | readonly Value[]
      /** Contains this value, commas included */
      'tags[eq]'?: Value
      /** Does not contain this value */
      'tags[ne]'?: Value
      /** Contains any of these values. The same as the name alone */
      'tags[in]'?: Value | readonly Value[]
      /** Contains none of these values */
      'tags[nin]'?: Value | readonly Value[]
      /** Contains all of these values */
      'tags[all]'?: Value | readonly Value[]
      /** An instant or a day (UTC), for example `created_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      created_at?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'created_at[eq]'?: Value
      /** Not equal to this value, or null */
      'created_at[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'created_at[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'created_at[nin]'?: Value | readonly Value[]
      /** After this */
      'created_at[gt]'?: Value
      /** At this or after it */
      'created_at[gte]'?: Value
      /** Before this */
      'created_at[lt]'?: Value
      /** At this or before it */
      'created_at[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'created_at[null]'?: boolean
      /** An instant or a day (UTC), for example `updated_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`. */
      updated_at?: Value | readonly Value[]
      /** Equal to this value, commas included */
      'updated_at[eq]'?: Value
      /** Not equal to this value, or null */
      'updated_at[ne]'?: Value
      /** Equal to any of these values. The same as the name alone */
      'updated_at[in]'?: Value | readonly Value[]
      /** Equal to none of these values, or null */
      'updated_at[nin]'?: Value | readonly Value[]
      /** After this */
      'updated_at[gt]'?: Value
      /** At this or after it */
      'updated_at[gte]'?: Value
      /** Before this */
      'updated_at[lt]'?: Value
      /** At this or before it */
      'updated_at[lte]'?: Value
      /** `true`: is null. `false`: is not null */
      'updated_at[null]'?: boolean
      /** Searches for words. Each must begin a word of `scheme`, `product_id`, `certificate_id`. Case and accents do not matter. 1 to 5 words of at least two letters or digits. */
      q?: Value | readonly Value[]
      /** At most 3 keys, separated by commas. A leading `-` reverses a key. Keys: `expected_on`, `requested_on`, `updated_at`, `created_at`, `id`. Null is the greatest value. `id` breaks ties. To read all pages while records change, sort by `id`, which never changes. */
      sort?: Value | readonly Value[]
      /** Number of records on a page. Without it, an export has no limit. */
      limit?: number
      /** `page.next_cursor` of the previous answer, unchanged, with the same filters and sort. Not with an export. */
      cursor?: Value
      /** Adds `page.total`, the number of all matching records up to 100000. Not with an export. */
      count?: 'exact'
      /** Only these fields, separated by commas. `id` is always included. Default: all fields. */
      fields?: Value | readonly Value[]
      /** Adds related records under `included`, by id. Separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `country` needs countries:read, `certificate` needs certificates:read. */
      include?: Value | readonly Value[]
    }
    itemQuery: {
      /** Only these fields, separated by commas. `id` is always included. Default: all fields. */
      fields?: Value | readonly Value[]
      /** Adds related records under `included`, by id. Separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `country` needs countries:read, `certificate` needs certificates:read. */
      include?: Value | readonly Value[]
      /** Shows the approval as it was at the end of this day (UTC): a day, or `today-30d`. Not with `on` and `include`. */
      as_of?: Value
    }
  }
}
