# Generated from the OpenAPI document by `npm run client:types`; not to be edited.
"""What each resource answers and takes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, Literal, Union

from typing_extensions import NotRequired, TypedDict

# A value of a condition. Lists are joined with commas, which are escaped within a value.
Value = Union[str, int, float, bool, date]

AccessRequest = TypedDict(
    "AccessRequest",
    {
        # The company that asks for access
        "company": "str",
        # Who asks
        "name": "str",
        # The address for the answer
        "email": "str",
        # What the access is for
        "message": "str",
        # Consent to keep these data in order to answer the request. They are deleted after a set time
        "consent": "Literal[True]",
    },
)

AccessRequestAnswer = TypedDict(
    "AccessRequestAnswer",
    {
        # Id of the request, for questions about it
        "id": "str",
        # The request is answered by this time: one business day after it arrived, in UTC
        "due_at": "str",
    },
)

Approval = TypedDict(
    "Approval",
    {
        # The operator's stable id, unique per customer and resource
        "id": "str",
        # The product
        "product_id": "str",
        # The country (ISO 3166-1 alpha-2)
        "country_code": "str",
        # Mark or scheme
        "scheme": "str",
        # The project that works on it
        "project_id": "str | None",
        # The certificate that it led to
        "certificate_id": "str | None",
        # Where it stands; granted says it was given, not that it holds today. Known values: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required; more may come.
        "status": "str",
        # Which round it is. Known values: initial, renewal, modification; more may come.
        "phase": "str | None",
        # Computed: true while somebody works on the approval
        "open": "bool",
        # Day it was requested
        "requested_on": "str | None",
        # Day it went to the authority
        "submitted_on": "str | None",
        # Day the authority decided
        "decided_on": "str | None",
        # Day the decision is expected
        "expected_on": "str | None",
        # Tags the customer or the operator chose
        "tags": "list[str]",
        # When the service first stored the record
        "created_at": "str",
        # When the record last changed; not a key to synchronise by
        "updated_at": "str",
    },
)

ApprovalAnswerIncluded = TypedDict(
    "ApprovalAnswerIncluded",
    {
        # Records by id. An id without a record is absent
        "products": "NotRequired[dict[str, Product]]",
        # Records by id. An id without a record is absent
        "countries": "NotRequired[dict[str, Country]]",
        # Records by id. An id without a record is absent
        "certificates": "NotRequired[dict[str, Certificate]]",
    },
)

ApprovalAnswer = TypedDict(
    "ApprovalAnswer",
    {
        "data": "Approval",
        # The related records that the parameter include asked for
        "included": "NotRequired[ApprovalAnswerIncluded]",
    },
)

ApprovalPageIncluded = TypedDict(
    "ApprovalPageIncluded",
    {
        # Records by id. An id without a record is absent
        "products": "NotRequired[dict[str, Product]]",
        # Records by id. An id without a record is absent
        "countries": "NotRequired[dict[str, Country]]",
        # Records by id. An id without a record is absent
        "certificates": "NotRequired[dict[str, Certificate]]",
    },
)

ApprovalPage = TypedDict(
    "ApprovalPage",
    {
        # The records, in the order asked for
        "data": "list[Approval]",
        "page": "PageInfo",
        # The related records that the parameter include asked for
        "included": "NotRequired[ApprovalPageIncluded]",
    },
)

AuditEntry = TypedDict(
    "AuditEntry",
    {
        # The number of the entry
        "id": "str",
        "entry": "AuditFacts",
        "proof": "AuditProof",
    },
)

AuditEntryPage = TypedDict(
    "AuditEntryPage",
    {
        # The records, in the order asked for
        "data": "list[AuditEntry]",
        "page": "PageInfo",
    },
)

AuditFacts = TypedDict(
    "AuditFacts",
    {
        # What was done: `login`, `reads`, `keys.issue`, `customers.export` and others
        "action": "str",
        # Who did it. `operator`: somebody at the certification house. Known values: key, operator, system, anonymous, demo; more may come.
        "actor": "str",
        # When the entry was written
        "at": "str",
        # The network of the client: /24 of IPv4, /48 of IPv6
        "client": "str | None",
        # The customer
        "customer": "str | None",
        # More about the action. Of `reads`: the minute, the resource, a keyed hash of the query, the status, how many requests there were and how many records they got. `query` is null for reads of single records, and for all queries of a key beyond 100 in a minute
        "details": "dict[str, Any] | None",
        # Id of the API key
        "key": "str | None",
        # Counts the entries of the customer from 1 without gaps: a missing number is a missing entry
        "number": "int",
        # How it ended. Of `reads`: `refused` for each status of 400 or more, with which nobody got a record. Known values: ok, refused; more may come.
        "outcome": "str",
        # The header Request-Id of the answer
        "request_id": "str | None",
        # What it was done to: the id of a key, the name of an endpoint
        "subject": "str | None",
    },
)

AuditProof = TypedDict(
    "AuditProof",
    {
        # Number of the signed root
        "root": "int",
        # Place of the leaf in the tree, from 0
        "index": "int",
        # Hashed with the entry; base64url
        "salt": "str",
        # Hashes beside the way to the root, the lowest first; base64url
        "path": "list[str]",
    },
)

AuditRoot = TypedDict(
    "AuditRoot",
    {
        # The number of the root
        "id": "str",
        # When it was made
        "at": "str",
        # A JWS: number, time, root and size of the tree, head of the chain, hash of the statement before
        "statement": "str",
        "key": "AuditRootKey",
    },
)

AuditRootKey = TypedDict(
    "AuditRootKey",
    {
        # Always OKP
        "kty": "str",
        # Always Ed25519
        "crv": "str",
        # The public key; base64url
        "x": "str",
        # Id of the key, as in the header of the statement
        "kid": "str",
    },
)

AuditRootPage = TypedDict(
    "AuditRootPage",
    {
        # The records, in the order asked for
        "data": "list[AuditRoot]",
        "page": "PageInfo",
    },
)

CertificateValidityPeriods = TypedDict(
    "CertificateValidityPeriods",
    {
        # First day of the period
        "from": "str",
        # Last day of the period; null = unlimited
        "until": "str | None",
        # What the period is based on. Known values: initial, renewal, extension; more may come.
        "basis": "str",
    },
)

Certificate = TypedDict(
    "Certificate",
    {
        # The operator's stable id, unique per customer and resource
        "id": "str",
        # The number as printed
        "number": "str",
        # What was certified, in the words of the certificate
        "title": "str",
        # The principal product
        "product_id": "str | None",
        # The project it came from
        "project_id": "str | None",
        # The principal approval
        "approval_id": "str | None",
        # The certificate this one replaces
        "supersedes_id": "str | None",
        # The principal country (ISO 3166-1 alpha-2)
        "country_code": "str | None",
        # Abbreviation of the issuing authority
        "authority": "str | None",
        # Mark or scheme
        "scheme": "str | None",
        # Kind of document. Known values: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other; more may come.
        "certificate_type": "str | None",
        # What the authority says of it. Known values: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded; more may come.
        "approval_status": "str",
        # Computed for the day from status and dates. Known values: not_yet_valid, valid, expired, void; more may come.
        "validity": "str",
        # True if the certificate is valid and ends within the customer's window
        "expiring": "bool",
        # Days to valid_until: 0 on the last day, negative after it, null when unlimited
        "days_remaining": "int | None",
        # First day of the unbroken run of validity
        "valid_from": "str | None",
        # Last day, inclusive; null = unlimited
        "valid_until": "str | None",
        # Periods, oldest first
        "validity_periods": "list[CertificateValidityPeriods]",
        # Day of issue
        "issued_on": "str | None",
        # The holder that it was issued to
        "holder": "str | None",
        # Standards it attests
        "standards": "list[str]",
        # Tags the customer or the operator chose
        "tags": "list[str]",
        # Where the authority publishes it
        "source_url": "str | None",
        # When the service first stored the record
        "created_at": "str",
        # When the record last changed; not a key to synchronise by
        "updated_at": "str",
    },
)

CertificateAnswerIncluded = TypedDict(
    "CertificateAnswerIncluded",
    {
        # Records by id. An id without a record is absent
        "products": "NotRequired[dict[str, Product]]",
        # Records by id. An id without a record is absent
        "projects": "NotRequired[dict[str, Project]]",
        # Records by id. An id without a record is absent
        "countries": "NotRequired[dict[str, Country]]",
    },
)

CertificateAnswer = TypedDict(
    "CertificateAnswer",
    {
        "data": "Certificate",
        # The related records that the parameter include asked for
        "included": "NotRequired[CertificateAnswerIncluded]",
    },
)

CertificatePageIncluded = TypedDict(
    "CertificatePageIncluded",
    {
        # Records by id. An id without a record is absent
        "products": "NotRequired[dict[str, Product]]",
        # Records by id. An id without a record is absent
        "projects": "NotRequired[dict[str, Project]]",
        # Records by id. An id without a record is absent
        "countries": "NotRequired[dict[str, Country]]",
    },
)

CertificatePage = TypedDict(
    "CertificatePage",
    {
        # The records, in the order asked for
        "data": "list[Certificate]",
        "page": "DayPageInfo",
        # The related records that the parameter include asked for
        "included": "NotRequired[CertificatePageIncluded]",
    },
)

Change = TypedDict(
    "Change",
    {
        # What to do with the record of this id. Known values: upsert, delete; more may come.
        "op": "str",
        # The resource. Known values: certificates, products, projects, countries, lab, approvals; more may come.
        "resource": "str",
        # Id of the record
        "id": "str",
        # Approximate time of the change, for information only
        "at": "str",
        # Why the change comes: `day` or `settings` if the record was not written, `filter` if it no longer meets the filter. Absent if it was written. Known values: day, settings, filter; more may come.
        "cause": "NotRequired[str]",
        # The fields that differ from the state of the token. Absent where that cannot be told, as of a new record
        "changed": "NotRequired[list[str]]",
        # With `previous=true`: the values of these fields in the state of the token
        "previous": "NotRequired[dict[str, Any]]",
        # The record as it is now, whole or with the chosen fields, to take the place of the one at hand; null where that is to be removed. Its schema by its resource: certificates: Certificate, products: Product, projects: Project, countries: Country, lab: LabReport, approvals: Approval
        "data": "dict[str, Any] | None",
    },
)

Changes = TypedDict(
    "Changes",
    {
        # Changes, each record once; apply them in this order
        "data": "list[Change]",
        "page": "ChangesPageInfo",
    },
)

ChangesPageInfo = TypedDict(
    "ChangesPageInfo",
    {
        # Whether further changes can be read at once
        "has_more": "bool",
        # Value of the parameter after for the next request. Always present, also without changes
        "next_token": "str",
    },
)

CountryAuthorities = TypedDict(
    "CountryAuthorities",
    {
        # Full name
        "name": "str",
        # Abbreviation
        "abbreviation": "str | None",
        # Internet domain
        "domain": "str | None",
        # What it is responsible for
        "role": "str | None",
    },
)

CountryRequirementsValidity = TypedDict(
    "CountryRequirementsValidity",
    {
        # Known values: unlimited, fixed; more may come.
        "kind": "str",
        "years": "int | None",
    },
)

CountryRequirementsLeadTimeWeeks = TypedDict(
    "CountryRequirementsLeadTimeWeeks",
    {
        "min": "int | None",
        "max": "int | None",
    },
)

CountryRequirements = TypedDict(
    "CountryRequirements",
    {
        # Marks and schemes
        "schemes": "list[str]",
        # Whether tests must run in the country. Known values: required, sometimes, not_required; more may come.
        "in_country_testing": "str | None",
        # Whether a local representative must hold the approval. Known values: required, not_required; more may come.
        "local_representative": "str | None",
        # How long an approval holds
        "validity": "CountryRequirementsValidity | None",
        # Usual time to approval, in weeks
        "lead_time_weeks": "CountryRequirementsLeadTimeWeeks | None",
        # What else to know
        "note": "str | None",
    },
)

CountryApprovalInfo = TypedDict(
    "CountryApprovalInfo",
    {
        # The customer's granted approvals
        "granted": "int",
        # The customer's open approvals
        "open": "int",
        # Certificates valid on the day
        "certificates_valid": "int",
        # Of these, expiring within the window
        "certificates_expiring": "int",
    },
)

Country = TypedDict(
    "Country",
    {
        # The same as code
        "id": "str",
        # ISO 3166-1 alpha-2
        "code": "str",
        # ISO 3166-1 alpha-3
        "alpha3": "str",
        # English name
        "name": "str",
        # Region. Known values: europe, americas, asia_pacific, middle_east_africa, cis; more may come.
        "region": "str",
        # Economic areas it belongs to
        "blocs": "list[str]",
        # The responsible authorities
        "authorities": "list[CountryAuthorities]",
        # The regulatory requirements; null = not known for sure
        "requirements": "CountryRequirements",
        # How many approvals and certificates this customer has there
        "approval_info": "CountryApprovalInfo",
        # Pages the facts rest on
        "sources": "list[str]",
        # How reliable the facts are. Known values: high, medium, low; more may come.
        "confidence": "str",
        # Day the facts were last reviewed
        "reviewed_on": "str | None",
        # When the service first stored the record
        "created_at": "str",
        # When the record last changed; not a key to synchronise by
        "updated_at": "str",
    },
)

CountryAnswer = TypedDict(
    "CountryAnswer",
    {
        "data": "Country",
    },
)

CountryPage = TypedDict(
    "CountryPage",
    {
        # The records, in the order asked for
        "data": "list[Country]",
        "page": "DayPageInfo",
    },
)

DayPageInfo = TypedDict(
    "DayPageInfo",
    {
        # Records asked for
        "limit": "int",
        # Whether another page follows
        "has_more": "bool",
        # Value of the parameter cursor for the next page; null on the last
        "next_cursor": "str | None",
        # Number of all matching records, with count=exact
        "total": "NotRequired[int]",
        # The day for which fields and conditions are computed
        "as_of": "str",
    },
)

Fault = TypedDict(
    "Fault",
    {
        # The query parameter with the fault
        "parameter": "NotRequired[str]",
        # The place of the fault in the body (RFC 6901)
        "pointer": "NotRequired[str]",
        # What is wrong, for programs
        "code": "str",
        # What was expected
        "detail": "str",
        # The nearest valid name or value
        "did_you_mean": "NotRequired[str]",
    },
)

FieldChange = TypedDict(
    "FieldChange",
    {
        # The value before; null also where the record was not there
        "from": "Any",
        # The value after; null also where the record is gone
        "to": "Any",
    },
)

HistoryEntry = TypedDict(
    "HistoryEntry",
    {
        # The resource. Known values: certificates, products, projects, countries, lab, approvals; more may come.
        "resource": "str",
        # Id of the record
        "id": "str",
        # When it changed: the time at which its transaction began. The `updated_at` of the record from then on
        "at": "str",
        # What happened to the record. Known values: create, update, delete; more may come.
        "op": "str",
        # Nobody wrote the record: a new day (UTC) changed what is computed. Absent if it was written. Known values: day; more may come.
        "cause": "NotRequired[str]",
        # The fields that changed, by name; all that have a value where the record came or went
        "changes": "dict[str, FieldChange]",
    },
)

HistoryPage = TypedDict(
    "HistoryPage",
    {
        # Changes, the newest first
        "data": "list[HistoryEntry]",
        "page": "HistoryPageInfo",
    },
)

HistoryPageInfo = TypedDict(
    "HistoryPageInfo",
    {
        # Entries asked for
        "limit": "int",
        # Whether another page follows
        "has_more": "bool",
        # Value of the parameter cursor for the next page; null on the last
        "next_cursor": "str | None",
        # From when on history is complete. Nothing older is told
        "history_from": "str",
    },
)

Introspection = TypedDict(
    "Introspection",
    {
        # Whether the service accepts this token now
        "active": "bool",
        # What the token may do, space-separated
        "scope": "NotRequired[str]",
        # Id of the API key
        "client_id": "NotRequired[str]",
        # The same
        "sub": "NotRequired[str]",
        # The customer whose records it reads
        "customer": "NotRequired[str]",
        # How the token is sent: Authorization: Bearer <token>
        "token_type": "NotRequired[Literal[\"Bearer\"]]",
        # Who issued it
        "iss": "NotRequired[str]",
        # The service that the token is for
        "aud": "NotRequired[str]",
        # Issued, in seconds since 1970
        "iat": "NotRequired[int]",
        # Not valid before this time, in seconds since 1970
        "nbf": "NotRequired[int]",
        # Good until, in seconds since 1970
        "exp": "NotRequired[int]",
        # Its own id
        "jti": "NotRequired[str]",
    },
)

LabReport = TypedDict(
    "LabReport",
    {
        # The operator's stable id, unique per customer and resource
        "id": "str",
        # The number as printed
        "report_number": "str",
        # Title of the report
        "title": "str",
        # What was tested. Known values: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy; more may come.
        "test_type": "str | None",
        # Standards tested against
        "standards": "list[str]",
        # State of the report. Known values: planned, in_testing, draft, issued, superseded, withdrawn, cancelled; more may come.
        "status": "str",
        # Verdict; null until issued. Known values: pass, fail, pass_with_deviation, inconclusive; more may come.
        "result": "str | None",
        # Name of the laboratory
        "laboratory": "str | None",
        # Country of the laboratory
        "laboratory_country_code": "str | None",
        # The product tested
        "product_id": "str | None",
        # The project it belongs to
        "project_id": "str | None",
        # The certificate it supports
        "certificate_id": "str | None",
        # The report this one replaces
        "supersedes_id": "str | None",
        # First day of testing
        "tested_from": "str | None",
        # Last day of testing
        "tested_until": "str | None",
        # Day of issue
        "issued_on": "str | None",
        # Revision of the report
        "revision": "int",
        # Address of the document
        "document_url": "str | None",
        # Tags the customer or the operator chose
        "tags": "list[str]",
        # When the service first stored the record
        "created_at": "str",
        # When the record last changed; not a key to synchronise by
        "updated_at": "str",
    },
)

LabReportAnswerIncluded = TypedDict(
    "LabReportAnswerIncluded",
    {
        # Records by id. An id without a record is absent
        "products": "NotRequired[dict[str, Product]]",
        # Records by id. An id without a record is absent
        "certificates": "NotRequired[dict[str, Certificate]]",
    },
)

LabReportAnswer = TypedDict(
    "LabReportAnswer",
    {
        "data": "LabReport",
        # The related records that the parameter include asked for
        "included": "NotRequired[LabReportAnswerIncluded]",
    },
)

LabReportPageIncluded = TypedDict(
    "LabReportPageIncluded",
    {
        # Records by id. An id without a record is absent
        "products": "NotRequired[dict[str, Product]]",
        # Records by id. An id without a record is absent
        "certificates": "NotRequired[dict[str, Certificate]]",
    },
)

LabReportPage = TypedDict(
    "LabReportPage",
    {
        # The records, in the order asked for
        "data": "list[LabReport]",
        "page": "PageInfo",
        # The related records that the parameter include asked for
        "included": "NotRequired[LabReportPageIncluded]",
    },
)

Limit = TypedDict(
    "Limit",
    {
        # Name of the policy, as in the header RateLimit
        "policy": "str",
        # Units that are allowed in any window of this length
        "quota": "int",
        # Length of the window
        "window_seconds": "int",
        # Units left
        "remaining": "int",
        # Seconds until more is available
        "reset_seconds": "int",
    },
)

LoginRequest = TypedDict(
    "LoginRequest",
    {
        # The API key as it was issued: cda_live_<key id>_<secret>
        "api_key": "str",
    },
)

MeDataSettings = TypedDict(
    "MeDataSettings",
    {
        # Days before its end in which a certificate counts as expiring
        "expiring_within": "int",
    },
)

MeData = TypedDict(
    "MeData",
    {
        # Id of the customer
        "customer": "str",
        # The plan. Known values: basic, premium, enterprise; more may come.
        "plan": "str",
        # What the token may do
        "scopes": "list[str]",
        # The quotas, and how many units are left
        "limits": "list[Limit]",
        # The customer's settings
        "settings": "MeDataSettings",
    },
)

Me = TypedDict(
    "Me",
    {
        # The customer that the token belongs to
        "data": "MeData",
    },
)

OAuthError = TypedDict(
    "OAuthError",
    {
        # What is wrong: invalid_request, invalid_client, unauthorized_client, unsupported_grant_type, invalid_scope
        "error": "str",
        # The error in words
        "error_description": "str",
        # The page that explains the error
        "error_uri": "str",
    },
)

PageInfo = TypedDict(
    "PageInfo",
    {
        # Records asked for
        "limit": "int",
        # Whether another page follows
        "has_more": "bool",
        # Value of the parameter cursor for the next page; null on the last
        "next_cursor": "str | None",
        # Number of all matching records, with count=exact
        "total": "NotRequired[int]",
    },
)

Problem = TypedDict(
    "Problem",
    {
        # Identifies the problem; the page behind it explains it
        "type": "str",
        # The problem in general, always in the same words
        "title": "str",
        # The status of the answer
        "status": "int",
        # The problem, for programs: the last part of its type
        "code": "str",
        # The problem in this case
        "detail": "str",
        # Same value as the header Request-Id. Absent if the request could not be read
        "request_id": "NotRequired[str]",
        # Every fault that was found
        "errors": "NotRequired[list[Fault]]",
        # A suggested address, if every fault has a nearest valid name
        "try": "NotRequired[str]",
        # The quota policies that have no room for the request (draft-ietf-httpapi-ratelimit-headers)
        "violated-policies": "NotRequired[list[str]]",
    },
)

Product = TypedDict(
    "Product",
    {
        # The operator's stable id, unique per customer and resource
        "id": "str",
        # Product name
        "name": "str",
        # The customer's own article numbers and GTINs
        "part_numbers": "list[str]",
        # Model as type-approved
        "model": "str | None",
        # Brand
        "brand": "str | None",
        # Manufacturer
        "manufacturer": "str | None",
        # State of the product. Known values: draft, in_development, active, phase_out, discontinued; more may come.
        "product_status": "str",
        # Category, free text
        "category": "str | None",
        # Radio technologies on board
        "technologies": "list[str]",
        # Hardware version
        "hardware_version": "str | None",
        # Software version
        "software_version": "str | None",
        # The product this is a variant of
        "parent_product_id": "str | None",
        # Tags the customer or the operator chose
        "tags": "list[str]",
        # When the service first stored the record
        "created_at": "str",
        # When the record last changed; not a key to synchronise by
        "updated_at": "str",
    },
)

ProductAnswer = TypedDict(
    "ProductAnswer",
    {
        "data": "Product",
    },
)

ProductPage = TypedDict(
    "ProductPage",
    {
        # The records, in the order asked for
        "data": "list[Product]",
        "page": "PageInfo",
    },
)

Project = TypedDict(
    "Project",
    {
        # The operator's stable id, unique per customer and resource
        "id": "str",
        # The operator's project number
        "project_number": "str",
        # The customer's own order reference
        "customer_reference": "str | None",
        # What was ordered
        "title": "str",
        # Where the project stands. Known values: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined; more may come.
        "status": "str",
        # Kind of order. Known values: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting; more may come.
        "classification": "str | None",
        # Products in the project
        "product_ids": "list[str]",
        # Countries in the project
        "country_codes": "list[str]",
        # Day of the order
        "ordered_on": "str | None",
        # Day it is due
        "due_on": "str | None",
        # Day it was completed
        "completed_on": "str | None",
        # Tags the customer or the operator chose
        "tags": "list[str]",
        # When the service first stored the record
        "created_at": "str",
        # When the record last changed; not a key to synchronise by
        "updated_at": "str",
    },
)

ProjectAnswer = TypedDict(
    "ProjectAnswer",
    {
        "data": "Project",
    },
)

ProjectPage = TypedDict(
    "ProjectPage",
    {
        # The records, in the order asked for
        "data": "list[Project]",
        "page": "PageInfo",
    },
)

PublicKey = TypedDict(
    "PublicKey",
    {
        # Key type (RFC 8037)
        "kty": "Literal[\"OKP\"]",
        # Curve
        "crv": "Literal[\"Ed25519\"]",
        # The public key, base64url
        "x": "str",
        # Key id: the thumbprint (RFC 7638)
        "kid": "str",
        # Algorithm
        "alg": "Literal[\"EdDSA\"]",
        # Use
        "use": "Literal[\"sig\"]",
    },
)

PublicKeySet = TypedDict(
    "PublicKeySet",
    {
        # The key in use, and those before and after it
        "keys": "list[PublicKey]",
    },
)

TokenAnswer = TypedDict(
    "TokenAnswer",
    {
        # The token for the Authorization header: a JWT (RFC 9068) that is valid for expires_in seconds
        "access_token": "str",
        # How the token is sent: Authorization: Bearer <token>
        "token_type": "Literal[\"Bearer\"]",
        # Lifetime of the token, in seconds
        "expires_in": "int",
        # What the token may do, space-separated
        "scope": "str",
    },
)

TokenGrantRequest = TypedDict(
    "TokenGrantRequest",
    {
        # The only grant type
        "grant_type": "Literal[\"client_credentials\"]",
        # Scopes for the token, separated by spaces. Absent: all scopes of the key
        "scope": "NotRequired[str]",
        # Id of the API key, unless HTTP Basic has it
        "client_id": "NotRequired[str]",
        # The API key, unless HTTP Basic has it or the client signs
        "client_secret": "NotRequired[str]",
        # Of a client that signs: what client_assertion is (RFC 7523)
        "client_assertion_type": "NotRequired[Literal[\"urn:ietf:params:oauth:client-assertion-type:jwt-bearer\"]]",
        # Of a client that signs, in place of a secret: a JWT (private_key_jwt), which counts once
        "client_assertion": "NotRequired[str]",
    },
)

TokenReference = TypedDict(
    "TokenReference",
    {
        # The access token; to revoke, also an API key
        "token": "str",
        # Not needed and not read
        "token_type_hint": "NotRequired[str]",
        # Id of the API key, unless HTTP Basic has it
        "client_id": "NotRequired[str]",
        # The API key, unless HTTP Basic has it or the client signs
        "client_secret": "NotRequired[str]",
        # Of a client that signs: what client_assertion is (RFC 7523)
        "client_assertion_type": "NotRequired[Literal[\"urn:ietf:params:oauth:client-assertion-type:jwt-bearer\"]]",
        # Of a client that signs, in place of a secret: a JWT (private_key_jwt), which counts once
        "client_assertion": "NotRequired[str]",
    },
)

WebhookKey = TypedDict(
    "WebhookKey",
    {
        # Key type
        "kty": "Literal[\"OKP\"]",
        # Curve (RFC 8037)
        "crv": "Literal[\"Ed25519\"]",
        # Public key, base64url
        "x": "str",
        # Thumbprint (RFC 7638)
        "kid": "str",
        # Algorithm
        "alg": "Literal[\"EdDSA\"]",
        # Use
        "use": "Literal[\"sig\"]",
        # The same key as Standard Webhooks writes it
        "whpk": "str",
    },
)

WebhookKeySet = TypedDict(
    "WebhookKeySet",
    {
        # One key; two while the service changes its keys. A message bears a signature by each
        "keys": "list[WebhookKey]",
    },
)

WebhookMessageData = TypedDict(
    "WebhookMessageData",
    {
        # Resources in which records changed
        "resources": "list[str]",
        # Value of `after` for `GET /v1/changes`. `snapshot`: the service cannot tell what changed. Absent in a test
        "after": "NotRequired[str]",
    },
)

WebhookMessage = TypedDict(
    "WebhookMessage",
    {
        # What the message is for. A test tells of no change. Known values: changes.available, webhook.test; more may come.
        "type": "str",
        # When the message was made. The same at each attempt
        "timestamp": "str",
        # What changed, without the data
        "data": "WebhookMessageData",
    },
)

CertificatesQuery = TypedDict(
    "CertificatesQuery",
    {
        # `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id": "Value | Sequence[Value] | None",
        # `id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "id[eq]": "Value | None",
        # `id` is not this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "id[ne]": "Value | None",
        # `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id[in]": "Value | Sequence[Value] | None",
        # `id` is none of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id[nin]": "Value | Sequence[Value] | None",
        # `id` is null (true) or not (false).
        "id[null]": "bool | None",
        # `number` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "number": "Value | Sequence[Value] | None",
        # `number` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "number[eq]": "Value | None",
        # `number` is not this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "number[ne]": "Value | None",
        # `number` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "number[in]": "Value | Sequence[Value] | None",
        # `number` is none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "number[nin]": "Value | Sequence[Value] | None",
        # `number` begins with this. The value is at least one character, at most 2000 bytes, without U+0000.
        "number[prefix]": "Value | None",
        # `number` is null (true) or not (false).
        "number[null]": "bool | None",
        # `product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "product_id": "Value | Sequence[Value] | None",
        # `product_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "product_id[eq]": "Value | None",
        # `product_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "product_id[ne]": "Value | None",
        # `product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "product_id[in]": "Value | Sequence[Value] | None",
        # `product_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "product_id[nin]": "Value | Sequence[Value] | None",
        # `product_id` is null (true) or not (false).
        "product_id[null]": "bool | None",
        # `project_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "project_id": "Value | Sequence[Value] | None",
        # `project_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "project_id[eq]": "Value | None",
        # `project_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "project_id[ne]": "Value | None",
        # `project_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "project_id[in]": "Value | Sequence[Value] | None",
        # `project_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "project_id[nin]": "Value | Sequence[Value] | None",
        # `project_id` is null (true) or not (false).
        "project_id[null]": "bool | None",
        # `approval_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "approval_id": "Value | Sequence[Value] | None",
        # `approval_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "approval_id[eq]": "Value | None",
        # `approval_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "approval_id[ne]": "Value | None",
        # `approval_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "approval_id[in]": "Value | Sequence[Value] | None",
        # `approval_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "approval_id[nin]": "Value | Sequence[Value] | None",
        # `approval_id` is null (true) or not (false).
        "approval_id[null]": "bool | None",
        # `country_code` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "country_code": "Value | Sequence[Value] | None",
        # `country_code` is this. The value is an ISO 3166-1 alpha-2 code in capitals.
        "country_code[eq]": "Value | None",
        # `country_code` is not this, or null. The value is an ISO 3166-1 alpha-2 code in capitals.
        "country_code[ne]": "Value | None",
        # `country_code` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "country_code[in]": "Value | Sequence[Value] | None",
        # `country_code` is none of these, or null. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "country_code[nin]": "Value | Sequence[Value] | None",
        # `country_code` is null (true) or not (false).
        "country_code[null]": "bool | None",
        # `authority` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "authority": "Value | Sequence[Value] | None",
        # `authority` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "authority[eq]": "Value | None",
        # `authority` is not this, or null. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "authority[ne]": "Value | None",
        # `authority` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "authority[in]": "Value | Sequence[Value] | None",
        # `authority` is none of these, or null. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "authority[nin]": "Value | Sequence[Value] | None",
        # `authority` is null (true) or not (false).
        "authority[null]": "bool | None",
        # `scheme` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "scheme": "Value | Sequence[Value] | None",
        # `scheme` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "scheme[eq]": "Value | None",
        # `scheme` is not this, or null. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "scheme[ne]": "Value | None",
        # `scheme` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "scheme[in]": "Value | Sequence[Value] | None",
        # `scheme` is none of these, or null. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "scheme[nin]": "Value | Sequence[Value] | None",
        # `scheme` is null (true) or not (false).
        "scheme[null]": "bool | None",
        # `certificate_type` is any of these. Each is one of: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other. At most 200, comma-separated; `\,` is a comma within one.
        "certificate_type": "Value | Sequence[Value] | None",
        # `certificate_type` is this. The value is one of: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other.
        "certificate_type[eq]": "Value | None",
        # `certificate_type` is not this, or null. The value is one of: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other.
        "certificate_type[ne]": "Value | None",
        # `certificate_type` is any of these. Each is one of: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other. At most 200, comma-separated; `\,` is a comma within one.
        "certificate_type[in]": "Value | Sequence[Value] | None",
        # `certificate_type` is none of these, or null. Each is one of: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other. At most 200, comma-separated; `\,` is a comma within one.
        "certificate_type[nin]": "Value | Sequence[Value] | None",
        # `certificate_type` is null (true) or not (false).
        "certificate_type[null]": "bool | None",
        # `approval_status` is any of these. Each is one of: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded. At most 200, comma-separated; `\,` is a comma within one.
        "approval_status": "Value | Sequence[Value] | None",
        # `approval_status` is this. The value is one of: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded.
        "approval_status[eq]": "Value | None",
        # `approval_status` is not this. The value is one of: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded.
        "approval_status[ne]": "Value | None",
        # `approval_status` is any of these. Each is one of: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded. At most 200, comma-separated; `\,` is a comma within one.
        "approval_status[in]": "Value | Sequence[Value] | None",
        # `approval_status` is none of these. Each is one of: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded. At most 200, comma-separated; `\,` is a comma within one.
        "approval_status[nin]": "Value | Sequence[Value] | None",
        # `approval_status` is null (true) or not (false).
        "approval_status[null]": "bool | None",
        # `validity` is any of these. Each is one of: not_yet_valid, valid, expired, void. At most 200, comma-separated; `\,` is a comma within one.
        "validity": "Value | Sequence[Value] | None",
        # `validity` is this. The value is one of: not_yet_valid, valid, expired, void.
        "validity[eq]": "Value | None",
        # `validity` is not this. The value is one of: not_yet_valid, valid, expired, void.
        "validity[ne]": "Value | None",
        # `validity` is any of these. Each is one of: not_yet_valid, valid, expired, void. At most 200, comma-separated; `\,` is a comma within one.
        "validity[in]": "Value | Sequence[Value] | None",
        # `validity` is none of these. Each is one of: not_yet_valid, valid, expired, void. At most 200, comma-separated; `\,` is a comma within one.
        "validity[nin]": "Value | Sequence[Value] | None",
        # `expiring` is any of these. Each is one of: true, false. At most 200, comma-separated; `\,` is a comma within one.
        "expiring": "Value | Sequence[Value] | None",
        # `expiring` is this. The value is one of: true, false.
        "expiring[eq]": "Value | None",
        # `expiring` is not this. The value is one of: true, false.
        "expiring[ne]": "Value | None",
        # `expiring` is any of these. Each is one of: true, false. At most 200, comma-separated; `\,` is a comma within one.
        "expiring[in]": "Value | Sequence[Value] | None",
        # `expiring` is none of these. Each is one of: true, false. At most 200, comma-separated; `\,` is a comma within one.
        "expiring[nin]": "Value | Sequence[Value] | None",
        # `valid_from` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "valid_from": "Value | Sequence[Value] | None",
        # `valid_from` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "valid_from[eq]": "Value | None",
        # `valid_from` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "valid_from[ne]": "Value | None",
        # `valid_from` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "valid_from[in]": "Value | Sequence[Value] | None",
        # `valid_from` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "valid_from[nin]": "Value | Sequence[Value] | None",
        # `valid_from` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "valid_from[gt]": "Value | None",
        # `valid_from` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "valid_from[gte]": "Value | None",
        # `valid_from` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "valid_from[lt]": "Value | None",
        # `valid_from` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "valid_from[lte]": "Value | None",
        # `valid_from` is null (true) or not (false).
        "valid_from[null]": "bool | None",
        # `valid_until` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "valid_until": "Value | Sequence[Value] | None",
        # `valid_until` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "valid_until[eq]": "Value | None",
        # `valid_until` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "valid_until[ne]": "Value | None",
        # `valid_until` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "valid_until[in]": "Value | Sequence[Value] | None",
        # `valid_until` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "valid_until[nin]": "Value | Sequence[Value] | None",
        # `valid_until` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "valid_until[gt]": "Value | None",
        # `valid_until` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "valid_until[gte]": "Value | None",
        # `valid_until` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "valid_until[lt]": "Value | None",
        # `valid_until` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "valid_until[lte]": "Value | None",
        # `valid_until` is null (true) or not (false).
        "valid_until[null]": "bool | None",
        # `issued_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "issued_on": "Value | Sequence[Value] | None",
        # `issued_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "issued_on[eq]": "Value | None",
        # `issued_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "issued_on[ne]": "Value | None",
        # `issued_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "issued_on[in]": "Value | Sequence[Value] | None",
        # `issued_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "issued_on[nin]": "Value | Sequence[Value] | None",
        # `issued_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "issued_on[gt]": "Value | None",
        # `issued_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "issued_on[gte]": "Value | None",
        # `issued_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "issued_on[lt]": "Value | None",
        # `issued_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "issued_on[lte]": "Value | None",
        # `issued_on` is null (true) or not (false).
        "issued_on[null]": "bool | None",
        # `standards` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "standards": "Value | Sequence[Value] | None",
        # `standards` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "standards[eq]": "Value | None",
        # `standards` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "standards[ne]": "Value | None",
        # `standards` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "standards[in]": "Value | Sequence[Value] | None",
        # `standards` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "standards[nin]": "Value | Sequence[Value] | None",
        # `standards` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "standards[all]": "Value | Sequence[Value] | None",
        # `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags": "Value | Sequence[Value] | None",
        # `tags` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "tags[eq]": "Value | None",
        # `tags` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "tags[ne]": "Value | None",
        # `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[in]": "Value | Sequence[Value] | None",
        # `tags` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[nin]": "Value | Sequence[Value] | None",
        # `tags` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[all]": "Value | Sequence[Value] | None",
        # `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at": "Value | Sequence[Value] | None",
        # `created_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[eq]": "Value | None",
        # `created_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[ne]": "Value | None",
        # `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at[in]": "Value | Sequence[Value] | None",
        # `created_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at[nin]": "Value | Sequence[Value] | None",
        # `created_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[gt]": "Value | None",
        # `created_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[gte]": "Value | None",
        # `created_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[lt]": "Value | None",
        # `created_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[lte]": "Value | None",
        # `created_at` is null (true) or not (false).
        "created_at[null]": "bool | None",
        # `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at": "Value | Sequence[Value] | None",
        # `updated_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[eq]": "Value | None",
        # `updated_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[ne]": "Value | None",
        # `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at[in]": "Value | Sequence[Value] | None",
        # `updated_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at[nin]": "Value | Sequence[Value] | None",
        # `updated_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[gt]": "Value | None",
        # `updated_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[gte]": "Value | None",
        # `updated_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[lt]": "Value | None",
        # `updated_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[lte]": "Value | None",
        # `updated_at` is null (true) or not (false).
        "updated_at[null]": "bool | None",
        # The fields to answer, separated by commas; `id` is always included. Absent: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Adds these related records under `included`, by id; separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `project` needs projects:read, `country` needs countries:read.
        "include": "Value | Sequence[Value] | None",
        # Computes for this day instead of today, with today's statuses: YYYY-MM-DD, or today, today+90d, today-30d.
        "on": "Value | None",
        # Days before its end in which a certificate counts as expiring. Absent: the customer's setting.
        "expiring_within": "int | None",
        # Records in which each of these words begins a word of `number`, `title`, `holder`. Case and accents do not matter. 1 to 5 words of two letters or digits at least; anything else ends a word.
        "q": "Value | Sequence[Value] | None",
        # At most 3 keys, comma-separated, each once; a leading - reverses. One of: valid_until, valid_from, issued_on, number, updated_at, created_at. Null is the greatest value; `id` breaks ties.
        "sort": "Value | Sequence[Value] | None",
        # Number of records on a page. An export has no limit unless this is given.
        "limit": "int | None",
        # Adds `page.total`, the number of all matching records. Not with an export.
        "count": "Literal[\"exact\"] | None",
        # `page.next_cursor` of the answer before, unchanged, with the same filters and sort. Absent: the first page. Not with an export.
        "cursor": "Value | None",
        # Begins a CSV file with a byte order mark, by which some spreadsheets know UTF-8. Only with CSV.
        "bom": "bool | None",
    },
    total=False,
)

CertificatesItemQuery = TypedDict(
    "CertificatesItemQuery",
    {
        # The fields to answer, separated by commas; `id` is always included. Absent: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Adds these related records under `included`, by id; separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `project` needs projects:read, `country` needs countries:read.
        "include": "Value | Sequence[Value] | None",
        # Computes for this day instead of today, with today's statuses: YYYY-MM-DD, or today, today+90d, today-30d.
        "on": "Value | None",
        # Days before its end in which a certificate counts as expiring. Absent: the customer's setting.
        "expiring_within": "int | None",
        # Shows the certificate as it stood at the end of this day (UTC), as far as history reaches: YYYY-MM-DD, or today-30d. Not with `on` and `include`.
        "as_of": "Value | None",
    },
    total=False,
)

ProductsQuery = TypedDict(
    "ProductsQuery",
    {
        # `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id": "Value | Sequence[Value] | None",
        # `id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "id[eq]": "Value | None",
        # `id` is not this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "id[ne]": "Value | None",
        # `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id[in]": "Value | Sequence[Value] | None",
        # `id` is none of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id[nin]": "Value | Sequence[Value] | None",
        # `id` is null (true) or not (false).
        "id[null]": "bool | None",
        # `name` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "name": "Value | Sequence[Value] | None",
        # `name` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "name[eq]": "Value | None",
        # `name` is not this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "name[ne]": "Value | None",
        # `name` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "name[in]": "Value | Sequence[Value] | None",
        # `name` is none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "name[nin]": "Value | Sequence[Value] | None",
        # `name` begins with this. The value is at least one character, at most 2000 bytes, without U+0000.
        "name[prefix]": "Value | None",
        # `name` is null (true) or not (false).
        "name[null]": "bool | None",
        # `part_numbers` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "part_numbers": "Value | Sequence[Value] | None",
        # `part_numbers` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "part_numbers[eq]": "Value | None",
        # `part_numbers` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "part_numbers[ne]": "Value | None",
        # `part_numbers` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "part_numbers[in]": "Value | Sequence[Value] | None",
        # `part_numbers` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "part_numbers[nin]": "Value | Sequence[Value] | None",
        # `part_numbers` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "part_numbers[all]": "Value | Sequence[Value] | None",
        # `model` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "model": "Value | Sequence[Value] | None",
        # `model` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "model[eq]": "Value | None",
        # `model` is not this, or null. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "model[ne]": "Value | None",
        # `model` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "model[in]": "Value | Sequence[Value] | None",
        # `model` is none of these, or null. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "model[nin]": "Value | Sequence[Value] | None",
        # `model` begins with this. The value is at least one character, at most 2000 bytes, without U+0000.
        "model[prefix]": "Value | None",
        # `model` is null (true) or not (false).
        "model[null]": "bool | None",
        # `brand` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "brand": "Value | Sequence[Value] | None",
        # `brand` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "brand[eq]": "Value | None",
        # `brand` is not this, or null. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "brand[ne]": "Value | None",
        # `brand` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "brand[in]": "Value | Sequence[Value] | None",
        # `brand` is none of these, or null. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "brand[nin]": "Value | Sequence[Value] | None",
        # `brand` is null (true) or not (false).
        "brand[null]": "bool | None",
        # `product_status` is any of these. Each is one of: draft, in_development, active, phase_out, discontinued. At most 200, comma-separated; `\,` is a comma within one.
        "product_status": "Value | Sequence[Value] | None",
        # `product_status` is this. The value is one of: draft, in_development, active, phase_out, discontinued.
        "product_status[eq]": "Value | None",
        # `product_status` is not this. The value is one of: draft, in_development, active, phase_out, discontinued.
        "product_status[ne]": "Value | None",
        # `product_status` is any of these. Each is one of: draft, in_development, active, phase_out, discontinued. At most 200, comma-separated; `\,` is a comma within one.
        "product_status[in]": "Value | Sequence[Value] | None",
        # `product_status` is none of these. Each is one of: draft, in_development, active, phase_out, discontinued. At most 200, comma-separated; `\,` is a comma within one.
        "product_status[nin]": "Value | Sequence[Value] | None",
        # `product_status` is null (true) or not (false).
        "product_status[null]": "bool | None",
        # `category` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "category": "Value | Sequence[Value] | None",
        # `category` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "category[eq]": "Value | None",
        # `category` is not this, or null. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "category[ne]": "Value | None",
        # `category` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "category[in]": "Value | Sequence[Value] | None",
        # `category` is none of these, or null. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "category[nin]": "Value | Sequence[Value] | None",
        # `category` is null (true) or not (false).
        "category[null]": "bool | None",
        # `technologies` contains any of these. Each is one of: wifi, bluetooth, cellular, nfc, uwb, srd, gnss, radar, lpwan, satellite, wireless_power. At most 200, comma-separated; `\,` is a comma within one.
        "technologies": "Value | Sequence[Value] | None",
        # `technologies` contains this. The value is one of: wifi, bluetooth, cellular, nfc, uwb, srd, gnss, radar, lpwan, satellite, wireless_power.
        "technologies[eq]": "Value | None",
        # `technologies` does not contain this. The value is one of: wifi, bluetooth, cellular, nfc, uwb, srd, gnss, radar, lpwan, satellite, wireless_power.
        "technologies[ne]": "Value | None",
        # `technologies` contains any of these. Each is one of: wifi, bluetooth, cellular, nfc, uwb, srd, gnss, radar, lpwan, satellite, wireless_power. At most 200, comma-separated; `\,` is a comma within one.
        "technologies[in]": "Value | Sequence[Value] | None",
        # `technologies` contains none of these. Each is one of: wifi, bluetooth, cellular, nfc, uwb, srd, gnss, radar, lpwan, satellite, wireless_power. At most 200, comma-separated; `\,` is a comma within one.
        "technologies[nin]": "Value | Sequence[Value] | None",
        # `technologies` contains every one of these. Each is one of: wifi, bluetooth, cellular, nfc, uwb, srd, gnss, radar, lpwan, satellite, wireless_power. At most 200, comma-separated; `\,` is a comma within one.
        "technologies[all]": "Value | Sequence[Value] | None",
        # `parent_product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "parent_product_id": "Value | Sequence[Value] | None",
        # `parent_product_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "parent_product_id[eq]": "Value | None",
        # `parent_product_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "parent_product_id[ne]": "Value | None",
        # `parent_product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "parent_product_id[in]": "Value | Sequence[Value] | None",
        # `parent_product_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "parent_product_id[nin]": "Value | Sequence[Value] | None",
        # `parent_product_id` is null (true) or not (false).
        "parent_product_id[null]": "bool | None",
        # `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags": "Value | Sequence[Value] | None",
        # `tags` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "tags[eq]": "Value | None",
        # `tags` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "tags[ne]": "Value | None",
        # `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[in]": "Value | Sequence[Value] | None",
        # `tags` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[nin]": "Value | Sequence[Value] | None",
        # `tags` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[all]": "Value | Sequence[Value] | None",
        # `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at": "Value | Sequence[Value] | None",
        # `created_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[eq]": "Value | None",
        # `created_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[ne]": "Value | None",
        # `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at[in]": "Value | Sequence[Value] | None",
        # `created_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at[nin]": "Value | Sequence[Value] | None",
        # `created_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[gt]": "Value | None",
        # `created_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[gte]": "Value | None",
        # `created_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[lt]": "Value | None",
        # `created_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[lte]": "Value | None",
        # `created_at` is null (true) or not (false).
        "created_at[null]": "bool | None",
        # `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at": "Value | Sequence[Value] | None",
        # `updated_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[eq]": "Value | None",
        # `updated_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[ne]": "Value | None",
        # `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at[in]": "Value | Sequence[Value] | None",
        # `updated_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at[nin]": "Value | Sequence[Value] | None",
        # `updated_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[gt]": "Value | None",
        # `updated_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[gte]": "Value | None",
        # `updated_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[lt]": "Value | None",
        # `updated_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[lte]": "Value | None",
        # `updated_at` is null (true) or not (false).
        "updated_at[null]": "bool | None",
        # The fields to answer, separated by commas; `id` is always included. Absent: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Records in which each of these words begins a word of `name`, `part_numbers`, `model`, `brand`, `manufacturer`. Case and accents do not matter. 1 to 5 words of two letters or digits at least; anything else ends a word.
        "q": "Value | Sequence[Value] | None",
        # At most 3 keys, comma-separated, each once; a leading - reverses. One of: name, model, updated_at, created_at. Null is the greatest value; `id` breaks ties.
        "sort": "Value | Sequence[Value] | None",
        # Number of records on a page. An export has no limit unless this is given.
        "limit": "int | None",
        # Adds `page.total`, the number of all matching records. Not with an export.
        "count": "Literal[\"exact\"] | None",
        # `page.next_cursor` of the answer before, unchanged, with the same filters and sort. Absent: the first page. Not with an export.
        "cursor": "Value | None",
        # Begins a CSV file with a byte order mark, by which some spreadsheets know UTF-8. Only with CSV.
        "bom": "bool | None",
    },
    total=False,
)

ProductsItemQuery = TypedDict(
    "ProductsItemQuery",
    {
        # The fields to answer, separated by commas; `id` is always included. Absent: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Shows the product as it stood at the end of this day (UTC), as far as history reaches: YYYY-MM-DD, or today-30d. Not with `on` and `include`.
        "as_of": "Value | None",
    },
    total=False,
)

ProjectsQuery = TypedDict(
    "ProjectsQuery",
    {
        # `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id": "Value | Sequence[Value] | None",
        # `id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "id[eq]": "Value | None",
        # `id` is not this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "id[ne]": "Value | None",
        # `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id[in]": "Value | Sequence[Value] | None",
        # `id` is none of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id[nin]": "Value | Sequence[Value] | None",
        # `id` is null (true) or not (false).
        "id[null]": "bool | None",
        # `project_number` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "project_number": "Value | Sequence[Value] | None",
        # `project_number` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "project_number[eq]": "Value | None",
        # `project_number` is not this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "project_number[ne]": "Value | None",
        # `project_number` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "project_number[in]": "Value | Sequence[Value] | None",
        # `project_number` is none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "project_number[nin]": "Value | Sequence[Value] | None",
        # `project_number` begins with this. The value is at least one character, at most 2000 bytes, without U+0000.
        "project_number[prefix]": "Value | None",
        # `project_number` is null (true) or not (false).
        "project_number[null]": "bool | None",
        # `customer_reference` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "customer_reference": "Value | Sequence[Value] | None",
        # `customer_reference` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "customer_reference[eq]": "Value | None",
        # `customer_reference` is not this, or null. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "customer_reference[ne]": "Value | None",
        # `customer_reference` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "customer_reference[in]": "Value | Sequence[Value] | None",
        # `customer_reference` is none of these, or null. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "customer_reference[nin]": "Value | Sequence[Value] | None",
        # `customer_reference` is null (true) or not (false).
        "customer_reference[null]": "bool | None",
        # `status` is any of these. Each is one of: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined. At most 200, comma-separated; `\,` is a comma within one.
        "status": "Value | Sequence[Value] | None",
        # `status` is this. The value is one of: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined.
        "status[eq]": "Value | None",
        # `status` is not this. The value is one of: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined.
        "status[ne]": "Value | None",
        # `status` is any of these. Each is one of: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined. At most 200, comma-separated; `\,` is a comma within one.
        "status[in]": "Value | Sequence[Value] | None",
        # `status` is none of these. Each is one of: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined. At most 200, comma-separated; `\,` is a comma within one.
        "status[nin]": "Value | Sequence[Value] | None",
        # `status` is null (true) or not (false).
        "status[null]": "bool | None",
        # `classification` is any of these. Each is one of: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting. At most 200, comma-separated; `\,` is a comma within one.
        "classification": "Value | Sequence[Value] | None",
        # `classification` is this. The value is one of: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting.
        "classification[eq]": "Value | None",
        # `classification` is not this, or null. The value is one of: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting.
        "classification[ne]": "Value | None",
        # `classification` is any of these. Each is one of: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting. At most 200, comma-separated; `\,` is a comma within one.
        "classification[in]": "Value | Sequence[Value] | None",
        # `classification` is none of these, or null. Each is one of: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting. At most 200, comma-separated; `\,` is a comma within one.
        "classification[nin]": "Value | Sequence[Value] | None",
        # `classification` is null (true) or not (false).
        "classification[null]": "bool | None",
        # `product_ids` contains any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "product_ids": "Value | Sequence[Value] | None",
        # `product_ids` contains this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "product_ids[eq]": "Value | None",
        # `product_ids` does not contain this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "product_ids[ne]": "Value | None",
        # `product_ids` contains any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "product_ids[in]": "Value | Sequence[Value] | None",
        # `product_ids` contains none of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "product_ids[nin]": "Value | Sequence[Value] | None",
        # `product_ids` contains every one of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "product_ids[all]": "Value | Sequence[Value] | None",
        # `country_codes` contains any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "country_codes": "Value | Sequence[Value] | None",
        # `country_codes` contains this. The value is an ISO 3166-1 alpha-2 code in capitals.
        "country_codes[eq]": "Value | None",
        # `country_codes` does not contain this. The value is an ISO 3166-1 alpha-2 code in capitals.
        "country_codes[ne]": "Value | None",
        # `country_codes` contains any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "country_codes[in]": "Value | Sequence[Value] | None",
        # `country_codes` contains none of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "country_codes[nin]": "Value | Sequence[Value] | None",
        # `country_codes` contains every one of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "country_codes[all]": "Value | Sequence[Value] | None",
        # `ordered_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "ordered_on": "Value | Sequence[Value] | None",
        # `ordered_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "ordered_on[eq]": "Value | None",
        # `ordered_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "ordered_on[ne]": "Value | None",
        # `ordered_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "ordered_on[in]": "Value | Sequence[Value] | None",
        # `ordered_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "ordered_on[nin]": "Value | Sequence[Value] | None",
        # `ordered_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "ordered_on[gt]": "Value | None",
        # `ordered_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "ordered_on[gte]": "Value | None",
        # `ordered_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "ordered_on[lt]": "Value | None",
        # `ordered_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "ordered_on[lte]": "Value | None",
        # `ordered_on` is null (true) or not (false).
        "ordered_on[null]": "bool | None",
        # `due_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "due_on": "Value | Sequence[Value] | None",
        # `due_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "due_on[eq]": "Value | None",
        # `due_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "due_on[ne]": "Value | None",
        # `due_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "due_on[in]": "Value | Sequence[Value] | None",
        # `due_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "due_on[nin]": "Value | Sequence[Value] | None",
        # `due_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "due_on[gt]": "Value | None",
        # `due_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "due_on[gte]": "Value | None",
        # `due_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "due_on[lt]": "Value | None",
        # `due_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "due_on[lte]": "Value | None",
        # `due_on` is null (true) or not (false).
        "due_on[null]": "bool | None",
        # `completed_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "completed_on": "Value | Sequence[Value] | None",
        # `completed_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "completed_on[eq]": "Value | None",
        # `completed_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "completed_on[ne]": "Value | None",
        # `completed_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "completed_on[in]": "Value | Sequence[Value] | None",
        # `completed_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "completed_on[nin]": "Value | Sequence[Value] | None",
        # `completed_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "completed_on[gt]": "Value | None",
        # `completed_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "completed_on[gte]": "Value | None",
        # `completed_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "completed_on[lt]": "Value | None",
        # `completed_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "completed_on[lte]": "Value | None",
        # `completed_on` is null (true) or not (false).
        "completed_on[null]": "bool | None",
        # `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags": "Value | Sequence[Value] | None",
        # `tags` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "tags[eq]": "Value | None",
        # `tags` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "tags[ne]": "Value | None",
        # `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[in]": "Value | Sequence[Value] | None",
        # `tags` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[nin]": "Value | Sequence[Value] | None",
        # `tags` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[all]": "Value | Sequence[Value] | None",
        # `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at": "Value | Sequence[Value] | None",
        # `created_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[eq]": "Value | None",
        # `created_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[ne]": "Value | None",
        # `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at[in]": "Value | Sequence[Value] | None",
        # `created_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at[nin]": "Value | Sequence[Value] | None",
        # `created_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[gt]": "Value | None",
        # `created_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[gte]": "Value | None",
        # `created_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[lt]": "Value | None",
        # `created_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[lte]": "Value | None",
        # `created_at` is null (true) or not (false).
        "created_at[null]": "bool | None",
        # `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at": "Value | Sequence[Value] | None",
        # `updated_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[eq]": "Value | None",
        # `updated_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[ne]": "Value | None",
        # `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at[in]": "Value | Sequence[Value] | None",
        # `updated_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at[nin]": "Value | Sequence[Value] | None",
        # `updated_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[gt]": "Value | None",
        # `updated_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[gte]": "Value | None",
        # `updated_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[lt]": "Value | None",
        # `updated_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[lte]": "Value | None",
        # `updated_at` is null (true) or not (false).
        "updated_at[null]": "bool | None",
        # The fields to answer, separated by commas; `id` is always included. Absent: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Records in which each of these words begins a word of `project_number`, `customer_reference`, `title`. Case and accents do not matter. 1 to 5 words of two letters or digits at least; anything else ends a word.
        "q": "Value | Sequence[Value] | None",
        # At most 3 keys, comma-separated, each once; a leading - reverses. One of: project_number, due_on, ordered_on, updated_at, created_at. Null is the greatest value; `id` breaks ties.
        "sort": "Value | Sequence[Value] | None",
        # Number of records on a page. An export has no limit unless this is given.
        "limit": "int | None",
        # Adds `page.total`, the number of all matching records. Not with an export.
        "count": "Literal[\"exact\"] | None",
        # `page.next_cursor` of the answer before, unchanged, with the same filters and sort. Absent: the first page. Not with an export.
        "cursor": "Value | None",
        # Begins a CSV file with a byte order mark, by which some spreadsheets know UTF-8. Only with CSV.
        "bom": "bool | None",
    },
    total=False,
)

ProjectsItemQuery = TypedDict(
    "ProjectsItemQuery",
    {
        # The fields to answer, separated by commas; `id` is always included. Absent: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Shows the project as it stood at the end of this day (UTC), as far as history reaches: YYYY-MM-DD, or today-30d. Not with `on` and `include`.
        "as_of": "Value | None",
    },
    total=False,
)

CountriesQuery = TypedDict(
    "CountriesQuery",
    {
        # `id` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "id": "Value | Sequence[Value] | None",
        # `id` is this. The value is an ISO 3166-1 alpha-2 code in capitals.
        "id[eq]": "Value | None",
        # `id` is not this. The value is an ISO 3166-1 alpha-2 code in capitals.
        "id[ne]": "Value | None",
        # `id` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "id[in]": "Value | Sequence[Value] | None",
        # `id` is none of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "id[nin]": "Value | Sequence[Value] | None",
        # `id` is null (true) or not (false).
        "id[null]": "bool | None",
        # `code` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "code": "Value | Sequence[Value] | None",
        # `code` is this. The value is an ISO 3166-1 alpha-2 code in capitals.
        "code[eq]": "Value | None",
        # `code` is not this. The value is an ISO 3166-1 alpha-2 code in capitals.
        "code[ne]": "Value | None",
        # `code` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "code[in]": "Value | Sequence[Value] | None",
        # `code` is none of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "code[nin]": "Value | Sequence[Value] | None",
        # `code` is null (true) or not (false).
        "code[null]": "bool | None",
        # `alpha3` is any of these. Each is an ISO 3166-1 alpha-3 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "alpha3": "Value | Sequence[Value] | None",
        # `alpha3` is this. The value is an ISO 3166-1 alpha-3 code in capitals.
        "alpha3[eq]": "Value | None",
        # `alpha3` is not this. The value is an ISO 3166-1 alpha-3 code in capitals.
        "alpha3[ne]": "Value | None",
        # `alpha3` is any of these. Each is an ISO 3166-1 alpha-3 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "alpha3[in]": "Value | Sequence[Value] | None",
        # `alpha3` is none of these. Each is an ISO 3166-1 alpha-3 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "alpha3[nin]": "Value | Sequence[Value] | None",
        # `alpha3` is null (true) or not (false).
        "alpha3[null]": "bool | None",
        # `name` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "name": "Value | Sequence[Value] | None",
        # `name` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "name[eq]": "Value | None",
        # `name` is not this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "name[ne]": "Value | None",
        # `name` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "name[in]": "Value | Sequence[Value] | None",
        # `name` is none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "name[nin]": "Value | Sequence[Value] | None",
        # `name` begins with this. The value is at least one character, at most 2000 bytes, without U+0000.
        "name[prefix]": "Value | None",
        # `name` is null (true) or not (false).
        "name[null]": "bool | None",
        # `region` is any of these. Each is one of: europe, americas, asia_pacific, middle_east_africa, cis. At most 200, comma-separated; `\,` is a comma within one.
        "region": "Value | Sequence[Value] | None",
        # `region` is this. The value is one of: europe, americas, asia_pacific, middle_east_africa, cis.
        "region[eq]": "Value | None",
        # `region` is not this. The value is one of: europe, americas, asia_pacific, middle_east_africa, cis.
        "region[ne]": "Value | None",
        # `region` is any of these. Each is one of: europe, americas, asia_pacific, middle_east_africa, cis. At most 200, comma-separated; `\,` is a comma within one.
        "region[in]": "Value | Sequence[Value] | None",
        # `region` is none of these. Each is one of: europe, americas, asia_pacific, middle_east_africa, cis. At most 200, comma-separated; `\,` is a comma within one.
        "region[nin]": "Value | Sequence[Value] | None",
        # `region` is null (true) or not (false).
        "region[null]": "bool | None",
        # `blocs` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "blocs": "Value | Sequence[Value] | None",
        # `blocs` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "blocs[eq]": "Value | None",
        # `blocs` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "blocs[ne]": "Value | None",
        # `blocs` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "blocs[in]": "Value | Sequence[Value] | None",
        # `blocs` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "blocs[nin]": "Value | Sequence[Value] | None",
        # `blocs` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "blocs[all]": "Value | Sequence[Value] | None",
        # `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at": "Value | Sequence[Value] | None",
        # `updated_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[eq]": "Value | None",
        # `updated_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[ne]": "Value | None",
        # `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at[in]": "Value | Sequence[Value] | None",
        # `updated_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at[nin]": "Value | Sequence[Value] | None",
        # `updated_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[gt]": "Value | None",
        # `updated_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[gte]": "Value | None",
        # `updated_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[lt]": "Value | None",
        # `updated_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[lte]": "Value | None",
        # `updated_at` is null (true) or not (false).
        "updated_at[null]": "bool | None",
        # The fields to answer, separated by commas; `id` is always included. Absent: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Computes for this day instead of today, with today's statuses: YYYY-MM-DD, or today, today+90d, today-30d.
        "on": "Value | None",
        # Days before its end in which a certificate counts as expiring. Absent: the customer's setting.
        "expiring_within": "int | None",
        # Records in which each of these words begins a word of `code`, `alpha3`, `name`, `authorities`. Case and accents do not matter. 1 to 5 words of two letters or digits at least; anything else ends a word.
        "q": "Value | Sequence[Value] | None",
        # At most 3 keys, comma-separated, each once; a leading - reverses. One of: code, name, region. Null is the greatest value; `id` breaks ties.
        "sort": "Value | Sequence[Value] | None",
        # Number of records on a page. An export has no limit unless this is given.
        "limit": "int | None",
        # Adds `page.total`, the number of all matching records. Not with an export.
        "count": "Literal[\"exact\"] | None",
        # `page.next_cursor` of the answer before, unchanged, with the same filters and sort. Absent: the first page. Not with an export.
        "cursor": "Value | None",
        # Begins a CSV file with a byte order mark, by which some spreadsheets know UTF-8. Only with CSV.
        "bom": "bool | None",
    },
    total=False,
)

CountriesItemQuery = TypedDict(
    "CountriesItemQuery",
    {
        # The fields to answer, separated by commas; `id` is always included. Absent: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Computes for this day instead of today, with today's statuses: YYYY-MM-DD, or today, today+90d, today-30d.
        "on": "Value | None",
        # Days before its end in which a certificate counts as expiring. Absent: the customer's setting.
        "expiring_within": "int | None",
        # Shows the country as it stood at the end of this day (UTC), as far as history reaches: YYYY-MM-DD, or today-30d. Not with `on` and `include`.
        "as_of": "Value | None",
    },
    total=False,
)

LabQuery = TypedDict(
    "LabQuery",
    {
        # `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id": "Value | Sequence[Value] | None",
        # `id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "id[eq]": "Value | None",
        # `id` is not this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "id[ne]": "Value | None",
        # `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id[in]": "Value | Sequence[Value] | None",
        # `id` is none of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id[nin]": "Value | Sequence[Value] | None",
        # `id` is null (true) or not (false).
        "id[null]": "bool | None",
        # `report_number` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "report_number": "Value | Sequence[Value] | None",
        # `report_number` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "report_number[eq]": "Value | None",
        # `report_number` is not this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "report_number[ne]": "Value | None",
        # `report_number` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "report_number[in]": "Value | Sequence[Value] | None",
        # `report_number` is none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "report_number[nin]": "Value | Sequence[Value] | None",
        # `report_number` begins with this. The value is at least one character, at most 2000 bytes, without U+0000.
        "report_number[prefix]": "Value | None",
        # `report_number` is null (true) or not (false).
        "report_number[null]": "bool | None",
        # `test_type` is any of these. Each is one of: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy. At most 200, comma-separated; `\,` is a comma within one.
        "test_type": "Value | Sequence[Value] | None",
        # `test_type` is this. The value is one of: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy.
        "test_type[eq]": "Value | None",
        # `test_type` is not this, or null. The value is one of: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy.
        "test_type[ne]": "Value | None",
        # `test_type` is any of these. Each is one of: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy. At most 200, comma-separated; `\,` is a comma within one.
        "test_type[in]": "Value | Sequence[Value] | None",
        # `test_type` is none of these, or null. Each is one of: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy. At most 200, comma-separated; `\,` is a comma within one.
        "test_type[nin]": "Value | Sequence[Value] | None",
        # `test_type` is null (true) or not (false).
        "test_type[null]": "bool | None",
        # `standards` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "standards": "Value | Sequence[Value] | None",
        # `standards` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "standards[eq]": "Value | None",
        # `standards` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "standards[ne]": "Value | None",
        # `standards` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "standards[in]": "Value | Sequence[Value] | None",
        # `standards` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "standards[nin]": "Value | Sequence[Value] | None",
        # `standards` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "standards[all]": "Value | Sequence[Value] | None",
        # `status` is any of these. Each is one of: planned, in_testing, draft, issued, superseded, withdrawn, cancelled. At most 200, comma-separated; `\,` is a comma within one.
        "status": "Value | Sequence[Value] | None",
        # `status` is this. The value is one of: planned, in_testing, draft, issued, superseded, withdrawn, cancelled.
        "status[eq]": "Value | None",
        # `status` is not this. The value is one of: planned, in_testing, draft, issued, superseded, withdrawn, cancelled.
        "status[ne]": "Value | None",
        # `status` is any of these. Each is one of: planned, in_testing, draft, issued, superseded, withdrawn, cancelled. At most 200, comma-separated; `\,` is a comma within one.
        "status[in]": "Value | Sequence[Value] | None",
        # `status` is none of these. Each is one of: planned, in_testing, draft, issued, superseded, withdrawn, cancelled. At most 200, comma-separated; `\,` is a comma within one.
        "status[nin]": "Value | Sequence[Value] | None",
        # `status` is null (true) or not (false).
        "status[null]": "bool | None",
        # `result` is any of these. Each is one of: pass, fail, pass_with_deviation, inconclusive. At most 200, comma-separated; `\,` is a comma within one.
        "result": "Value | Sequence[Value] | None",
        # `result` is this. The value is one of: pass, fail, pass_with_deviation, inconclusive.
        "result[eq]": "Value | None",
        # `result` is not this, or null. The value is one of: pass, fail, pass_with_deviation, inconclusive.
        "result[ne]": "Value | None",
        # `result` is any of these. Each is one of: pass, fail, pass_with_deviation, inconclusive. At most 200, comma-separated; `\,` is a comma within one.
        "result[in]": "Value | Sequence[Value] | None",
        # `result` is none of these, or null. Each is one of: pass, fail, pass_with_deviation, inconclusive. At most 200, comma-separated; `\,` is a comma within one.
        "result[nin]": "Value | Sequence[Value] | None",
        # `result` is null (true) or not (false).
        "result[null]": "bool | None",
        # `laboratory` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "laboratory": "Value | Sequence[Value] | None",
        # `laboratory` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "laboratory[eq]": "Value | None",
        # `laboratory` is not this, or null. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "laboratory[ne]": "Value | None",
        # `laboratory` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "laboratory[in]": "Value | Sequence[Value] | None",
        # `laboratory` is none of these, or null. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "laboratory[nin]": "Value | Sequence[Value] | None",
        # `laboratory` is null (true) or not (false).
        "laboratory[null]": "bool | None",
        # `product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "product_id": "Value | Sequence[Value] | None",
        # `product_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "product_id[eq]": "Value | None",
        # `product_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "product_id[ne]": "Value | None",
        # `product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "product_id[in]": "Value | Sequence[Value] | None",
        # `product_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "product_id[nin]": "Value | Sequence[Value] | None",
        # `product_id` is null (true) or not (false).
        "product_id[null]": "bool | None",
        # `project_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "project_id": "Value | Sequence[Value] | None",
        # `project_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "project_id[eq]": "Value | None",
        # `project_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "project_id[ne]": "Value | None",
        # `project_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "project_id[in]": "Value | Sequence[Value] | None",
        # `project_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "project_id[nin]": "Value | Sequence[Value] | None",
        # `project_id` is null (true) or not (false).
        "project_id[null]": "bool | None",
        # `certificate_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "certificate_id": "Value | Sequence[Value] | None",
        # `certificate_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "certificate_id[eq]": "Value | None",
        # `certificate_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "certificate_id[ne]": "Value | None",
        # `certificate_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "certificate_id[in]": "Value | Sequence[Value] | None",
        # `certificate_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "certificate_id[nin]": "Value | Sequence[Value] | None",
        # `certificate_id` is null (true) or not (false).
        "certificate_id[null]": "bool | None",
        # `issued_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "issued_on": "Value | Sequence[Value] | None",
        # `issued_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "issued_on[eq]": "Value | None",
        # `issued_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "issued_on[ne]": "Value | None",
        # `issued_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "issued_on[in]": "Value | Sequence[Value] | None",
        # `issued_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "issued_on[nin]": "Value | Sequence[Value] | None",
        # `issued_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "issued_on[gt]": "Value | None",
        # `issued_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "issued_on[gte]": "Value | None",
        # `issued_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "issued_on[lt]": "Value | None",
        # `issued_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "issued_on[lte]": "Value | None",
        # `issued_on` is null (true) or not (false).
        "issued_on[null]": "bool | None",
        # `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags": "Value | Sequence[Value] | None",
        # `tags` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "tags[eq]": "Value | None",
        # `tags` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "tags[ne]": "Value | None",
        # `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[in]": "Value | Sequence[Value] | None",
        # `tags` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[nin]": "Value | Sequence[Value] | None",
        # `tags` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[all]": "Value | Sequence[Value] | None",
        # `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at": "Value | Sequence[Value] | None",
        # `created_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[eq]": "Value | None",
        # `created_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[ne]": "Value | None",
        # `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at[in]": "Value | Sequence[Value] | None",
        # `created_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at[nin]": "Value | Sequence[Value] | None",
        # `created_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[gt]": "Value | None",
        # `created_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[gte]": "Value | None",
        # `created_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[lt]": "Value | None",
        # `created_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[lte]": "Value | None",
        # `created_at` is null (true) or not (false).
        "created_at[null]": "bool | None",
        # `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at": "Value | Sequence[Value] | None",
        # `updated_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[eq]": "Value | None",
        # `updated_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[ne]": "Value | None",
        # `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at[in]": "Value | Sequence[Value] | None",
        # `updated_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at[nin]": "Value | Sequence[Value] | None",
        # `updated_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[gt]": "Value | None",
        # `updated_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[gte]": "Value | None",
        # `updated_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[lt]": "Value | None",
        # `updated_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[lte]": "Value | None",
        # `updated_at` is null (true) or not (false).
        "updated_at[null]": "bool | None",
        # The fields to answer, separated by commas; `id` is always included. Absent: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Adds these related records under `included`, by id; separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `certificate` needs certificates:read.
        "include": "Value | Sequence[Value] | None",
        # Records in which each of these words begins a word of `report_number`, `title`, `laboratory`. Case and accents do not matter. 1 to 5 words of two letters or digits at least; anything else ends a word.
        "q": "Value | Sequence[Value] | None",
        # At most 3 keys, comma-separated, each once; a leading - reverses. One of: issued_on, report_number, updated_at, created_at. Null is the greatest value; `id` breaks ties.
        "sort": "Value | Sequence[Value] | None",
        # Number of records on a page. An export has no limit unless this is given.
        "limit": "int | None",
        # Adds `page.total`, the number of all matching records. Not with an export.
        "count": "Literal[\"exact\"] | None",
        # `page.next_cursor` of the answer before, unchanged, with the same filters and sort. Absent: the first page. Not with an export.
        "cursor": "Value | None",
        # Begins a CSV file with a byte order mark, by which some spreadsheets know UTF-8. Only with CSV.
        "bom": "bool | None",
    },
    total=False,
)

LabItemQuery = TypedDict(
    "LabItemQuery",
    {
        # The fields to answer, separated by commas; `id` is always included. Absent: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Adds these related records under `included`, by id; separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `certificate` needs certificates:read.
        "include": "Value | Sequence[Value] | None",
        # Shows the test report as it stood at the end of this day (UTC), as far as history reaches: YYYY-MM-DD, or today-30d. Not with `on` and `include`.
        "as_of": "Value | None",
    },
    total=False,
)

ApprovalsQuery = TypedDict(
    "ApprovalsQuery",
    {
        # `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id": "Value | Sequence[Value] | None",
        # `id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "id[eq]": "Value | None",
        # `id` is not this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "id[ne]": "Value | None",
        # `id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id[in]": "Value | Sequence[Value] | None",
        # `id` is none of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "id[nin]": "Value | Sequence[Value] | None",
        # `id` is null (true) or not (false).
        "id[null]": "bool | None",
        # `product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "product_id": "Value | Sequence[Value] | None",
        # `product_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "product_id[eq]": "Value | None",
        # `product_id` is not this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "product_id[ne]": "Value | None",
        # `product_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "product_id[in]": "Value | Sequence[Value] | None",
        # `product_id` is none of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "product_id[nin]": "Value | Sequence[Value] | None",
        # `product_id` is null (true) or not (false).
        "product_id[null]": "bool | None",
        # `country_code` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "country_code": "Value | Sequence[Value] | None",
        # `country_code` is this. The value is an ISO 3166-1 alpha-2 code in capitals.
        "country_code[eq]": "Value | None",
        # `country_code` is not this. The value is an ISO 3166-1 alpha-2 code in capitals.
        "country_code[ne]": "Value | None",
        # `country_code` is any of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "country_code[in]": "Value | Sequence[Value] | None",
        # `country_code` is none of these. Each is an ISO 3166-1 alpha-2 code in capitals. At most 200, comma-separated; `\,` is a comma within one.
        "country_code[nin]": "Value | Sequence[Value] | None",
        # `country_code` is null (true) or not (false).
        "country_code[null]": "bool | None",
        # `scheme` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "scheme": "Value | Sequence[Value] | None",
        # `scheme` is this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "scheme[eq]": "Value | None",
        # `scheme` is not this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "scheme[ne]": "Value | None",
        # `scheme` is any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "scheme[in]": "Value | Sequence[Value] | None",
        # `scheme` is none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "scheme[nin]": "Value | Sequence[Value] | None",
        # `scheme` is null (true) or not (false).
        "scheme[null]": "bool | None",
        # `project_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "project_id": "Value | Sequence[Value] | None",
        # `project_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "project_id[eq]": "Value | None",
        # `project_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "project_id[ne]": "Value | None",
        # `project_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "project_id[in]": "Value | Sequence[Value] | None",
        # `project_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "project_id[nin]": "Value | Sequence[Value] | None",
        # `project_id` is null (true) or not (false).
        "project_id[null]": "bool | None",
        # `certificate_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "certificate_id": "Value | Sequence[Value] | None",
        # `certificate_id` is this. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "certificate_id[eq]": "Value | None",
        # `certificate_id` is not this, or null. The value is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone.
        "certificate_id[ne]": "Value | None",
        # `certificate_id` is any of these. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "certificate_id[in]": "Value | Sequence[Value] | None",
        # `certificate_id` is none of these, or null. Each is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not dots alone. At most 200, comma-separated; `\,` is a comma within one.
        "certificate_id[nin]": "Value | Sequence[Value] | None",
        # `certificate_id` is null (true) or not (false).
        "certificate_id[null]": "bool | None",
        # `status` is any of these. Each is one of: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required. At most 200, comma-separated; `\,` is a comma within one.
        "status": "Value | Sequence[Value] | None",
        # `status` is this. The value is one of: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required.
        "status[eq]": "Value | None",
        # `status` is not this. The value is one of: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required.
        "status[ne]": "Value | None",
        # `status` is any of these. Each is one of: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required. At most 200, comma-separated; `\,` is a comma within one.
        "status[in]": "Value | Sequence[Value] | None",
        # `status` is none of these. Each is one of: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required. At most 200, comma-separated; `\,` is a comma within one.
        "status[nin]": "Value | Sequence[Value] | None",
        # `status` is null (true) or not (false).
        "status[null]": "bool | None",
        # `open` is any of these. Each is one of: true, false. At most 200, comma-separated; `\,` is a comma within one.
        "open": "Value | Sequence[Value] | None",
        # `open` is this. The value is one of: true, false.
        "open[eq]": "Value | None",
        # `open` is not this. The value is one of: true, false.
        "open[ne]": "Value | None",
        # `open` is any of these. Each is one of: true, false. At most 200, comma-separated; `\,` is a comma within one.
        "open[in]": "Value | Sequence[Value] | None",
        # `open` is none of these. Each is one of: true, false. At most 200, comma-separated; `\,` is a comma within one.
        "open[nin]": "Value | Sequence[Value] | None",
        # `requested_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "requested_on": "Value | Sequence[Value] | None",
        # `requested_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "requested_on[eq]": "Value | None",
        # `requested_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "requested_on[ne]": "Value | None",
        # `requested_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "requested_on[in]": "Value | Sequence[Value] | None",
        # `requested_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "requested_on[nin]": "Value | Sequence[Value] | None",
        # `requested_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "requested_on[gt]": "Value | None",
        # `requested_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "requested_on[gte]": "Value | None",
        # `requested_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "requested_on[lt]": "Value | None",
        # `requested_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "requested_on[lte]": "Value | None",
        # `requested_on` is null (true) or not (false).
        "requested_on[null]": "bool | None",
        # `submitted_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "submitted_on": "Value | Sequence[Value] | None",
        # `submitted_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "submitted_on[eq]": "Value | None",
        # `submitted_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "submitted_on[ne]": "Value | None",
        # `submitted_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "submitted_on[in]": "Value | Sequence[Value] | None",
        # `submitted_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "submitted_on[nin]": "Value | Sequence[Value] | None",
        # `submitted_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "submitted_on[gt]": "Value | None",
        # `submitted_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "submitted_on[gte]": "Value | None",
        # `submitted_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "submitted_on[lt]": "Value | None",
        # `submitted_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "submitted_on[lte]": "Value | None",
        # `submitted_on` is null (true) or not (false).
        "submitted_on[null]": "bool | None",
        # `decided_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "decided_on": "Value | Sequence[Value] | None",
        # `decided_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "decided_on[eq]": "Value | None",
        # `decided_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "decided_on[ne]": "Value | None",
        # `decided_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "decided_on[in]": "Value | Sequence[Value] | None",
        # `decided_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "decided_on[nin]": "Value | Sequence[Value] | None",
        # `decided_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "decided_on[gt]": "Value | None",
        # `decided_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "decided_on[gte]": "Value | None",
        # `decided_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "decided_on[lt]": "Value | None",
        # `decided_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "decided_on[lte]": "Value | None",
        # `decided_on` is null (true) or not (false).
        "decided_on[null]": "bool | None",
        # `expected_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "expected_on": "Value | Sequence[Value] | None",
        # `expected_on` is this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "expected_on[eq]": "Value | None",
        # `expected_on` is not this, or null. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "expected_on[ne]": "Value | None",
        # `expected_on` is any of these. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "expected_on[in]": "Value | Sequence[Value] | None",
        # `expected_on` is none of these, or null. Each is a date as YYYY-MM-DD, or today, today+90d, today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "expected_on[nin]": "Value | Sequence[Value] | None",
        # `expected_on` is greater than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "expected_on[gt]": "Value | None",
        # `expected_on` is this or greater. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "expected_on[gte]": "Value | None",
        # `expected_on` is less than this. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "expected_on[lt]": "Value | None",
        # `expected_on` is this or less. The value is a date as YYYY-MM-DD, or today, today+90d, today-30d.
        "expected_on[lte]": "Value | None",
        # `expected_on` is null (true) or not (false).
        "expected_on[null]": "bool | None",
        # `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags": "Value | Sequence[Value] | None",
        # `tags` contains this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "tags[eq]": "Value | None",
        # `tags` does not contain this. The value is at most 2000 bytes of text without U+0000 or lone surrogates.
        "tags[ne]": "Value | None",
        # `tags` contains any of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[in]": "Value | Sequence[Value] | None",
        # `tags` contains none of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[nin]": "Value | Sequence[Value] | None",
        # `tags` contains every one of these. Each is at most 2000 bytes of text without U+0000 or lone surrogates. At most 200, comma-separated; `\,` is a comma within one.
        "tags[all]": "Value | Sequence[Value] | None",
        # `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at": "Value | Sequence[Value] | None",
        # `created_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[eq]": "Value | None",
        # `created_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[ne]": "Value | None",
        # `created_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at[in]": "Value | Sequence[Value] | None",
        # `created_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "created_at[nin]": "Value | Sequence[Value] | None",
        # `created_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[gt]": "Value | None",
        # `created_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[gte]": "Value | None",
        # `created_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[lt]": "Value | None",
        # `created_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "created_at[lte]": "Value | None",
        # `created_at` is null (true) or not (false).
        "created_at[null]": "bool | None",
        # `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at": "Value | Sequence[Value] | None",
        # `updated_at` is this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[eq]": "Value | None",
        # `updated_at` is not this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[ne]": "Value | None",
        # `updated_at` is any of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at[in]": "Value | Sequence[Value] | None",
        # `updated_at` is none of these. Each is an instant as 2026-01-31T12:00:00Z, a date, or today-30d. At most 200, comma-separated; `\,` is a comma within one.
        "updated_at[nin]": "Value | Sequence[Value] | None",
        # `updated_at` is greater than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[gt]": "Value | None",
        # `updated_at` is this or greater. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[gte]": "Value | None",
        # `updated_at` is less than this. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[lt]": "Value | None",
        # `updated_at` is this or less. The value is an instant as 2026-01-31T12:00:00Z, a date, or today-30d.
        "updated_at[lte]": "Value | None",
        # `updated_at` is null (true) or not (false).
        "updated_at[null]": "bool | None",
        # The fields to answer, separated by commas; `id` is always included. Absent: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Adds these related records under `included`, by id; separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `country` needs countries:read, `certificate` needs certificates:read.
        "include": "Value | Sequence[Value] | None",
        # Records in which each of these words begins a word of `scheme`, `product_id`, `certificate_id`. Case and accents do not matter. 1 to 5 words of two letters or digits at least; anything else ends a word.
        "q": "Value | Sequence[Value] | None",
        # At most 3 keys, comma-separated, each once; a leading - reverses. One of: expected_on, requested_on, updated_at, created_at. Null is the greatest value; `id` breaks ties.
        "sort": "Value | Sequence[Value] | None",
        # Number of records on a page. An export has no limit unless this is given.
        "limit": "int | None",
        # Adds `page.total`, the number of all matching records. Not with an export.
        "count": "Literal[\"exact\"] | None",
        # `page.next_cursor` of the answer before, unchanged, with the same filters and sort. Absent: the first page. Not with an export.
        "cursor": "Value | None",
        # Begins a CSV file with a byte order mark, by which some spreadsheets know UTF-8. Only with CSV.
        "bom": "bool | None",
    },
    total=False,
)

ApprovalsItemQuery = TypedDict(
    "ApprovalsItemQuery",
    {
        # The fields to answer, separated by commas; `id` is always included. Absent: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Adds these related records under `included`, by id; separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `country` needs countries:read, `certificate` needs certificates:read.
        "include": "Value | Sequence[Value] | None",
        # Shows the approval as it stood at the end of this day (UTC), as far as history reaches: YYYY-MM-DD, or today-30d. Not with `on` and `include`.
        "as_of": "Value | None",
    },
    total=False,
)

HistoryQuery = TypedDict(
    "HistoryQuery",
    {
        # Only these resources, comma-separated; each needs its scope. Absent: all that the token may read.
        "resource": "Value | Sequence[Value] | None",
        # Only changes at or after this instant (2026-01-31T12:00:00Z) or day (UTC; also today-30d). This filters. To keep a copy up to date, follow /v1/changes: a transaction that commits late has an early time.
        "since": "Value | None",
        # Number of entries on a page.
        "limit": "int | None",
        # `page.next_cursor` of the answer before, unchanged, with the same parameters. Absent: the newest entries.
        "cursor": "Value | None",
    },
    total=False,
)

ChangesQuery = TypedDict(
    "ChangesQuery",
    {
        # `page.next_token` of the answer before, unchanged. `snapshot` streams the whole state as lines and gives the token to go on from in the header Sync-Token. Absent: begin now.
        "after": "Value | None",
        # Only these resources, comma-separated; each needs its scope. Absent: the token's, or all that the key may read. A token belongs to its resources.
        "resources": "Value | Sequence[Value] | None",
        # Number of changes on a page. Not with `after=snapshot`.
        "limit": "int | None",
        # Seconds to hold an empty answer until a change arrives. The answer may come earlier and empty, with the same token. Not with `after=snapshot`; `HEAD` does not wait.
        "wait": "int | None",
        # Adds to each change of a record what the fields in `changed` were. Not with `after=snapshot`.
        "previous": "bool | None",
        # The fields of each record, separated by commas. Only with one resource in `resources`. They belong to the token.
        "fields": "Value | Sequence[Value] | None",
        # `id` is any of these. Of certificates, products, projects, countries, lab, approvals.
        "id": "Value | Sequence[Value] | None",
        # `id` is none of these. Of certificates, products, projects, countries, lab, approvals.
        "id[nin]": "Value | Sequence[Value] | None",
        # `id` is null (true) or not (false). Of certificates, products, projects, countries, lab, approvals.
        "id[null]": "bool | None",
        # `number` is any of these. Of certificates.
        "number": "Value | Sequence[Value] | None",
        # `number` is none of these. Of certificates.
        "number[nin]": "Value | Sequence[Value] | None",
        # `number` begins with this. Of certificates.
        "number[prefix]": "Value | None",
        # `number` is null (true) or not (false). Of certificates.
        "number[null]": "bool | None",
        # `product_id` is any of these. Of certificates, lab, approvals.
        "product_id": "Value | Sequence[Value] | None",
        # `product_id` is none of these, or null. Of certificates, lab, approvals.
        "product_id[nin]": "Value | Sequence[Value] | None",
        # `product_id` is null (true) or not (false). Of certificates, lab, approvals.
        "product_id[null]": "bool | None",
        # `project_id` is any of these. Of certificates, lab, approvals.
        "project_id": "Value | Sequence[Value] | None",
        # `project_id` is none of these, or null. Of certificates, lab, approvals.
        "project_id[nin]": "Value | Sequence[Value] | None",
        # `project_id` is null (true) or not (false). Of certificates, lab, approvals.
        "project_id[null]": "bool | None",
        # `approval_id` is any of these. Of certificates.
        "approval_id": "Value | Sequence[Value] | None",
        # `approval_id` is none of these, or null. Of certificates.
        "approval_id[nin]": "Value | Sequence[Value] | None",
        # `approval_id` is null (true) or not (false). Of certificates.
        "approval_id[null]": "bool | None",
        # `country_code` is any of these. Of certificates, approvals.
        "country_code": "Value | Sequence[Value] | None",
        # `country_code` is none of these, or null. Of certificates, approvals.
        "country_code[nin]": "Value | Sequence[Value] | None",
        # `country_code` is null (true) or not (false). Of certificates, approvals.
        "country_code[null]": "bool | None",
        # `authority` is any of these. Of certificates.
        "authority": "Value | Sequence[Value] | None",
        # `authority` is none of these, or null. Of certificates.
        "authority[nin]": "Value | Sequence[Value] | None",
        # `authority` is null (true) or not (false). Of certificates.
        "authority[null]": "bool | None",
        # `scheme` is any of these. Of certificates, approvals.
        "scheme": "Value | Sequence[Value] | None",
        # `scheme` is none of these, or null. Of certificates, approvals.
        "scheme[nin]": "Value | Sequence[Value] | None",
        # `scheme` is null (true) or not (false). Of certificates, approvals.
        "scheme[null]": "bool | None",
        # `certificate_type` is any of these. Of certificates.
        "certificate_type": "Value | Sequence[Value] | None",
        # `certificate_type` is none of these, or null. Of certificates.
        "certificate_type[nin]": "Value | Sequence[Value] | None",
        # `certificate_type` is null (true) or not (false). Of certificates.
        "certificate_type[null]": "bool | None",
        # `approval_status` is any of these. Of certificates.
        "approval_status": "Value | Sequence[Value] | None",
        # `approval_status` is none of these. Of certificates.
        "approval_status[nin]": "Value | Sequence[Value] | None",
        # `approval_status` is null (true) or not (false). Of certificates.
        "approval_status[null]": "bool | None",
        # `validity` is any of these. Of certificates.
        "validity": "Value | Sequence[Value] | None",
        # `validity` is none of these. Of certificates.
        "validity[nin]": "Value | Sequence[Value] | None",
        # `expiring` is any of these. Of certificates.
        "expiring": "Value | Sequence[Value] | None",
        # `expiring` is none of these. Of certificates.
        "expiring[nin]": "Value | Sequence[Value] | None",
        # `valid_from` is any of these. Of certificates.
        "valid_from": "Value | Sequence[Value] | None",
        # `valid_from` is none of these, or null. Of certificates.
        "valid_from[nin]": "Value | Sequence[Value] | None",
        # `valid_from` is greater than this. Of certificates.
        "valid_from[gt]": "Value | None",
        # `valid_from` is this or greater. Of certificates.
        "valid_from[gte]": "Value | None",
        # `valid_from` is less than this. Of certificates.
        "valid_from[lt]": "Value | None",
        # `valid_from` is this or less. Of certificates.
        "valid_from[lte]": "Value | None",
        # `valid_from` is null (true) or not (false). Of certificates.
        "valid_from[null]": "bool | None",
        # `valid_until` is any of these. Of certificates.
        "valid_until": "Value | Sequence[Value] | None",
        # `valid_until` is none of these, or null. Of certificates.
        "valid_until[nin]": "Value | Sequence[Value] | None",
        # `valid_until` is greater than this. Of certificates.
        "valid_until[gt]": "Value | None",
        # `valid_until` is this or greater. Of certificates.
        "valid_until[gte]": "Value | None",
        # `valid_until` is less than this. Of certificates.
        "valid_until[lt]": "Value | None",
        # `valid_until` is this or less. Of certificates.
        "valid_until[lte]": "Value | None",
        # `valid_until` is null (true) or not (false). Of certificates.
        "valid_until[null]": "bool | None",
        # `issued_on` is any of these. Of certificates, lab.
        "issued_on": "Value | Sequence[Value] | None",
        # `issued_on` is none of these, or null. Of certificates, lab.
        "issued_on[nin]": "Value | Sequence[Value] | None",
        # `issued_on` is greater than this. Of certificates, lab.
        "issued_on[gt]": "Value | None",
        # `issued_on` is this or greater. Of certificates, lab.
        "issued_on[gte]": "Value | None",
        # `issued_on` is less than this. Of certificates, lab.
        "issued_on[lt]": "Value | None",
        # `issued_on` is this or less. Of certificates, lab.
        "issued_on[lte]": "Value | None",
        # `issued_on` is null (true) or not (false). Of certificates, lab.
        "issued_on[null]": "bool | None",
        # `standards` contains any of these. Of certificates, lab.
        "standards": "Value | Sequence[Value] | None",
        # `standards` contains none of these. Of certificates, lab.
        "standards[nin]": "Value | Sequence[Value] | None",
        # `standards` contains every one of these. Of certificates, lab.
        "standards[all]": "Value | Sequence[Value] | None",
        # `tags` contains any of these. Of certificates, products, projects, lab, approvals.
        "tags": "Value | Sequence[Value] | None",
        # `tags` contains none of these. Of certificates, products, projects, lab, approvals.
        "tags[nin]": "Value | Sequence[Value] | None",
        # `tags` contains every one of these. Of certificates, products, projects, lab, approvals.
        "tags[all]": "Value | Sequence[Value] | None",
        # `created_at` is any of these. Of certificates, products, projects, lab, approvals.
        "created_at": "Value | Sequence[Value] | None",
        # `created_at` is none of these. Of certificates, products, projects, lab, approvals.
        "created_at[nin]": "Value | Sequence[Value] | None",
        # `created_at` is greater than this. Of certificates, products, projects, lab, approvals.
        "created_at[gt]": "Value | None",
        # `created_at` is this or greater. Of certificates, products, projects, lab, approvals.
        "created_at[gte]": "Value | None",
        # `created_at` is less than this. Of certificates, products, projects, lab, approvals.
        "created_at[lt]": "Value | None",
        # `created_at` is this or less. Of certificates, products, projects, lab, approvals.
        "created_at[lte]": "Value | None",
        # `created_at` is null (true) or not (false). Of certificates, products, projects, lab, approvals.
        "created_at[null]": "bool | None",
        # `updated_at` is any of these. Of certificates, products, projects, countries, lab, approvals.
        "updated_at": "Value | Sequence[Value] | None",
        # `updated_at` is none of these. Of certificates, products, projects, countries, lab, approvals.
        "updated_at[nin]": "Value | Sequence[Value] | None",
        # `updated_at` is greater than this. Of certificates, products, projects, countries, lab, approvals.
        "updated_at[gt]": "Value | None",
        # `updated_at` is this or greater. Of certificates, products, projects, countries, lab, approvals.
        "updated_at[gte]": "Value | None",
        # `updated_at` is less than this. Of certificates, products, projects, countries, lab, approvals.
        "updated_at[lt]": "Value | None",
        # `updated_at` is this or less. Of certificates, products, projects, countries, lab, approvals.
        "updated_at[lte]": "Value | None",
        # `updated_at` is null (true) or not (false). Of certificates, products, projects, countries, lab, approvals.
        "updated_at[null]": "bool | None",
        # `name` is any of these. Of products, countries.
        "name": "Value | Sequence[Value] | None",
        # `name` is none of these. Of products, countries.
        "name[nin]": "Value | Sequence[Value] | None",
        # `name` begins with this. Of products, countries.
        "name[prefix]": "Value | None",
        # `name` is null (true) or not (false). Of products, countries.
        "name[null]": "bool | None",
        # `part_numbers` contains any of these. Of products.
        "part_numbers": "Value | Sequence[Value] | None",
        # `part_numbers` contains none of these. Of products.
        "part_numbers[nin]": "Value | Sequence[Value] | None",
        # `part_numbers` contains every one of these. Of products.
        "part_numbers[all]": "Value | Sequence[Value] | None",
        # `model` is any of these. Of products.
        "model": "Value | Sequence[Value] | None",
        # `model` is none of these, or null. Of products.
        "model[nin]": "Value | Sequence[Value] | None",
        # `model` begins with this. Of products.
        "model[prefix]": "Value | None",
        # `model` is null (true) or not (false). Of products.
        "model[null]": "bool | None",
        # `brand` is any of these. Of products.
        "brand": "Value | Sequence[Value] | None",
        # `brand` is none of these, or null. Of products.
        "brand[nin]": "Value | Sequence[Value] | None",
        # `brand` is null (true) or not (false). Of products.
        "brand[null]": "bool | None",
        # `product_status` is any of these. Of products.
        "product_status": "Value | Sequence[Value] | None",
        # `product_status` is none of these. Of products.
        "product_status[nin]": "Value | Sequence[Value] | None",
        # `product_status` is null (true) or not (false). Of products.
        "product_status[null]": "bool | None",
        # `category` is any of these. Of products.
        "category": "Value | Sequence[Value] | None",
        # `category` is none of these, or null. Of products.
        "category[nin]": "Value | Sequence[Value] | None",
        # `category` is null (true) or not (false). Of products.
        "category[null]": "bool | None",
        # `technologies` contains any of these. Of products.
        "technologies": "Value | Sequence[Value] | None",
        # `technologies` contains none of these. Of products.
        "technologies[nin]": "Value | Sequence[Value] | None",
        # `technologies` contains every one of these. Of products.
        "technologies[all]": "Value | Sequence[Value] | None",
        # `parent_product_id` is any of these. Of products.
        "parent_product_id": "Value | Sequence[Value] | None",
        # `parent_product_id` is none of these, or null. Of products.
        "parent_product_id[nin]": "Value | Sequence[Value] | None",
        # `parent_product_id` is null (true) or not (false). Of products.
        "parent_product_id[null]": "bool | None",
        # `project_number` is any of these. Of projects.
        "project_number": "Value | Sequence[Value] | None",
        # `project_number` is none of these. Of projects.
        "project_number[nin]": "Value | Sequence[Value] | None",
        # `project_number` begins with this. Of projects.
        "project_number[prefix]": "Value | None",
        # `project_number` is null (true) or not (false). Of projects.
        "project_number[null]": "bool | None",
        # `customer_reference` is any of these. Of projects.
        "customer_reference": "Value | Sequence[Value] | None",
        # `customer_reference` is none of these, or null. Of projects.
        "customer_reference[nin]": "Value | Sequence[Value] | None",
        # `customer_reference` is null (true) or not (false). Of projects.
        "customer_reference[null]": "bool | None",
        # `status` is any of these. Of projects, lab, approvals.
        "status": "Value | Sequence[Value] | None",
        # `status` is none of these. Of projects, lab, approvals.
        "status[nin]": "Value | Sequence[Value] | None",
        # `status` is null (true) or not (false). Of projects, lab, approvals.
        "status[null]": "bool | None",
        # `classification` is any of these. Of projects.
        "classification": "Value | Sequence[Value] | None",
        # `classification` is none of these, or null. Of projects.
        "classification[nin]": "Value | Sequence[Value] | None",
        # `classification` is null (true) or not (false). Of projects.
        "classification[null]": "bool | None",
        # `product_ids` contains any of these. Of projects.
        "product_ids": "Value | Sequence[Value] | None",
        # `product_ids` contains none of these. Of projects.
        "product_ids[nin]": "Value | Sequence[Value] | None",
        # `product_ids` contains every one of these. Of projects.
        "product_ids[all]": "Value | Sequence[Value] | None",
        # `country_codes` contains any of these. Of projects.
        "country_codes": "Value | Sequence[Value] | None",
        # `country_codes` contains none of these. Of projects.
        "country_codes[nin]": "Value | Sequence[Value] | None",
        # `country_codes` contains every one of these. Of projects.
        "country_codes[all]": "Value | Sequence[Value] | None",
        # `ordered_on` is any of these. Of projects.
        "ordered_on": "Value | Sequence[Value] | None",
        # `ordered_on` is none of these, or null. Of projects.
        "ordered_on[nin]": "Value | Sequence[Value] | None",
        # `ordered_on` is greater than this. Of projects.
        "ordered_on[gt]": "Value | None",
        # `ordered_on` is this or greater. Of projects.
        "ordered_on[gte]": "Value | None",
        # `ordered_on` is less than this. Of projects.
        "ordered_on[lt]": "Value | None",
        # `ordered_on` is this or less. Of projects.
        "ordered_on[lte]": "Value | None",
        # `ordered_on` is null (true) or not (false). Of projects.
        "ordered_on[null]": "bool | None",
        # `due_on` is any of these. Of projects.
        "due_on": "Value | Sequence[Value] | None",
        # `due_on` is none of these, or null. Of projects.
        "due_on[nin]": "Value | Sequence[Value] | None",
        # `due_on` is greater than this. Of projects.
        "due_on[gt]": "Value | None",
        # `due_on` is this or greater. Of projects.
        "due_on[gte]": "Value | None",
        # `due_on` is less than this. Of projects.
        "due_on[lt]": "Value | None",
        # `due_on` is this or less. Of projects.
        "due_on[lte]": "Value | None",
        # `due_on` is null (true) or not (false). Of projects.
        "due_on[null]": "bool | None",
        # `completed_on` is any of these. Of projects.
        "completed_on": "Value | Sequence[Value] | None",
        # `completed_on` is none of these, or null. Of projects.
        "completed_on[nin]": "Value | Sequence[Value] | None",
        # `completed_on` is greater than this. Of projects.
        "completed_on[gt]": "Value | None",
        # `completed_on` is this or greater. Of projects.
        "completed_on[gte]": "Value | None",
        # `completed_on` is less than this. Of projects.
        "completed_on[lt]": "Value | None",
        # `completed_on` is this or less. Of projects.
        "completed_on[lte]": "Value | None",
        # `completed_on` is null (true) or not (false). Of projects.
        "completed_on[null]": "bool | None",
        # `code` is any of these. Of countries.
        "code": "Value | Sequence[Value] | None",
        # `code` is none of these. Of countries.
        "code[nin]": "Value | Sequence[Value] | None",
        # `code` is null (true) or not (false). Of countries.
        "code[null]": "bool | None",
        # `alpha3` is any of these. Of countries.
        "alpha3": "Value | Sequence[Value] | None",
        # `alpha3` is none of these. Of countries.
        "alpha3[nin]": "Value | Sequence[Value] | None",
        # `alpha3` is null (true) or not (false). Of countries.
        "alpha3[null]": "bool | None",
        # `region` is any of these. Of countries.
        "region": "Value | Sequence[Value] | None",
        # `region` is none of these. Of countries.
        "region[nin]": "Value | Sequence[Value] | None",
        # `region` is null (true) or not (false). Of countries.
        "region[null]": "bool | None",
        # `blocs` contains any of these. Of countries.
        "blocs": "Value | Sequence[Value] | None",
        # `blocs` contains none of these. Of countries.
        "blocs[nin]": "Value | Sequence[Value] | None",
        # `blocs` contains every one of these. Of countries.
        "blocs[all]": "Value | Sequence[Value] | None",
        # `report_number` is any of these. Of lab.
        "report_number": "Value | Sequence[Value] | None",
        # `report_number` is none of these. Of lab.
        "report_number[nin]": "Value | Sequence[Value] | None",
        # `report_number` begins with this. Of lab.
        "report_number[prefix]": "Value | None",
        # `report_number` is null (true) or not (false). Of lab.
        "report_number[null]": "bool | None",
        # `test_type` is any of these. Of lab.
        "test_type": "Value | Sequence[Value] | None",
        # `test_type` is none of these, or null. Of lab.
        "test_type[nin]": "Value | Sequence[Value] | None",
        # `test_type` is null (true) or not (false). Of lab.
        "test_type[null]": "bool | None",
        # `result` is any of these. Of lab.
        "result": "Value | Sequence[Value] | None",
        # `result` is none of these, or null. Of lab.
        "result[nin]": "Value | Sequence[Value] | None",
        # `result` is null (true) or not (false). Of lab.
        "result[null]": "bool | None",
        # `laboratory` is any of these. Of lab.
        "laboratory": "Value | Sequence[Value] | None",
        # `laboratory` is none of these, or null. Of lab.
        "laboratory[nin]": "Value | Sequence[Value] | None",
        # `laboratory` is null (true) or not (false). Of lab.
        "laboratory[null]": "bool | None",
        # `certificate_id` is any of these. Of lab, approvals.
        "certificate_id": "Value | Sequence[Value] | None",
        # `certificate_id` is none of these, or null. Of lab, approvals.
        "certificate_id[nin]": "Value | Sequence[Value] | None",
        # `certificate_id` is null (true) or not (false). Of lab, approvals.
        "certificate_id[null]": "bool | None",
        # `open` is any of these. Of approvals.
        "open": "Value | Sequence[Value] | None",
        # `open` is none of these. Of approvals.
        "open[nin]": "Value | Sequence[Value] | None",
        # `requested_on` is any of these. Of approvals.
        "requested_on": "Value | Sequence[Value] | None",
        # `requested_on` is none of these, or null. Of approvals.
        "requested_on[nin]": "Value | Sequence[Value] | None",
        # `requested_on` is greater than this. Of approvals.
        "requested_on[gt]": "Value | None",
        # `requested_on` is this or greater. Of approvals.
        "requested_on[gte]": "Value | None",
        # `requested_on` is less than this. Of approvals.
        "requested_on[lt]": "Value | None",
        # `requested_on` is this or less. Of approvals.
        "requested_on[lte]": "Value | None",
        # `requested_on` is null (true) or not (false). Of approvals.
        "requested_on[null]": "bool | None",
        # `submitted_on` is any of these. Of approvals.
        "submitted_on": "Value | Sequence[Value] | None",
        # `submitted_on` is none of these, or null. Of approvals.
        "submitted_on[nin]": "Value | Sequence[Value] | None",
        # `submitted_on` is greater than this. Of approvals.
        "submitted_on[gt]": "Value | None",
        # `submitted_on` is this or greater. Of approvals.
        "submitted_on[gte]": "Value | None",
        # `submitted_on` is less than this. Of approvals.
        "submitted_on[lt]": "Value | None",
        # `submitted_on` is this or less. Of approvals.
        "submitted_on[lte]": "Value | None",
        # `submitted_on` is null (true) or not (false). Of approvals.
        "submitted_on[null]": "bool | None",
        # `decided_on` is any of these. Of approvals.
        "decided_on": "Value | Sequence[Value] | None",
        # `decided_on` is none of these, or null. Of approvals.
        "decided_on[nin]": "Value | Sequence[Value] | None",
        # `decided_on` is greater than this. Of approvals.
        "decided_on[gt]": "Value | None",
        # `decided_on` is this or greater. Of approvals.
        "decided_on[gte]": "Value | None",
        # `decided_on` is less than this. Of approvals.
        "decided_on[lt]": "Value | None",
        # `decided_on` is this or less. Of approvals.
        "decided_on[lte]": "Value | None",
        # `decided_on` is null (true) or not (false). Of approvals.
        "decided_on[null]": "bool | None",
        # `expected_on` is any of these. Of approvals.
        "expected_on": "Value | Sequence[Value] | None",
        # `expected_on` is none of these, or null. Of approvals.
        "expected_on[nin]": "Value | Sequence[Value] | None",
        # `expected_on` is greater than this. Of approvals.
        "expected_on[gt]": "Value | None",
        # `expected_on` is this or greater. Of approvals.
        "expected_on[gte]": "Value | None",
        # `expected_on` is less than this. Of approvals.
        "expected_on[lt]": "Value | None",
        # `expected_on` is this or less. Of approvals.
        "expected_on[lte]": "Value | None",
        # `expected_on` is null (true) or not (false). Of approvals.
        "expected_on[null]": "bool | None",
    },
    total=False,
)

AuditQuery = TypedDict(
    "AuditQuery",
    {
        # From this instant, day (UTC) or relative day on.
        "since": "Value | None",
        # Before this instant, day (UTC) or relative day.
        "until": "Value | None",
        # Only these actions, comma-separated.
        "action": "Value | Sequence[Value] | None",
        # Only entries of these API keys, by id, comma-separated.
        "key": "Value | Sequence[Value] | None",
        # Only entries that ended so: `ok` or `refused`.
        "outcome": "Value | Sequence[Value] | None",
        # Only after the root of this number. To go on where you ended, give the newest root you have.
        "after_root": "Value | None",
        # Number of rows on a page. An export has no limit unless this is given.
        "limit": "int | None",
        # `page.next_cursor` of the answer before, unchanged, with the same filters. Not with an export.
        "cursor": "Value | None",
    },
    total=False,
)

AuditRootsQuery = TypedDict(
    "AuditRootsQuery",
    {
        # Only roots of these numbers, comma-separated.
        "id": "Value | Sequence[Value] | None",
        # From this instant, day (UTC) or relative day on.
        "since": "Value | None",
        # Before this instant, day (UTC) or relative day.
        "until": "Value | None",
        # Only after the root of this number. To go on where you ended, give the newest root you have.
        "after_root": "Value | None",
        # Number of rows on a page. An export has no limit unless this is given.
        "limit": "int | None",
        # `page.next_cursor` of the answer before, unchanged, with the same filters. Not with an export.
        "cursor": "Value | None",
    },
    total=False,
)

