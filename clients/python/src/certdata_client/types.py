# Generated from the OpenAPI document by `npm run client:types`; not to be edited.
"""The answers and query parameters of each resource."""

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
        # The company that requests access
        "company": "str",
        # The name of the person
        "name": "str",
        # The address for the answer
        "email": "str",
        # The purpose of the access
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

AccountKey = TypedDict(
    "AccountKey",
    {
        # Id of the key
        "id": "str",
        # Name that the operator gave the key; null without one
        "name": "str | None",
        # Whether the token of this request belongs to the key
        "is_current": "bool",
        # The state. `pending`: it replaces another key at its first login, which must be before `expires_at`. `replaced`: another key was made instead of this one, which still works until it expires. Known values: active, pending, replaced, expired, revoked; more may be added.
        "state": "str",
        # When the key was made
        "created_at": "str",
        # Day of the last login (UTC); null if there was none
        "last_used_on": "str | None",
        # The key and its tokens work until this time; null: no end. The first login of a pending key sets its full life
        "expires_at": "str | None",
        # Networks from which the key works. Null: a key sees networks only of itself
        "networks": "list[str] | None",
        # All scopes of the key
        "scopes": "list[str]",
    },
)

AccountKeys = TypedDict(
    "AccountKeys",
    {
        # The newest 1,000 keys, the newest first
        "data": "list[AccountKey]",
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
        # State of the approval. Its certificate shows whether a `granted` approval is valid today. Known values: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required; more may be added.
        "status": "str",
        # First approval, renewal or modification. Known values: initial, renewal, modification; more may be added.
        "phase": "str | None",
        # Computed: whether work on the approval is in progress
        "open": "bool",
        # Day it was requested
        "requested_on": "str | None",
        # Day it went to the authority
        "submitted_on": "str | None",
        # Day the authority decided
        "decided_on": "str | None",
        # Day the decision is expected
        "expected_on": "str | None",
        # Tags that the customer or the operator chose
        "tags": "list[str]",
        # Time at which the service first stored the record
        "created_at": "str",
        # When the record last changed. To keep a copy up to date, use the change feed instead
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
        # The related records that the parameter include names
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
        # The records, in the requested order
        "data": "list[Approval]",
        "page": "PageInfo",
        # The related records that the parameter include names
        "included": "NotRequired[ApprovalPageIncluded]",
    },
)

AuditEntry = TypedDict(
    "AuditEntry",
    {
        # The number of the entry
        "id": "str",
        "entry": "AuditFacts",
    },
)

AuditEntryPage = TypedDict(
    "AuditEntryPage",
    {
        # The records, in the requested order
        "data": "list[AuditEntry]",
        "page": "PageInfo",
    },
)

AuditFacts = TypedDict(
    "AuditFacts",
    {
        # The action: `login`, `reads`, `keys.issue`, `customers.export` and others
        "action": "str",
        # The actor. `operator`: the certification house. Known values: key, operator, system, anonymous, demo; more may be added.
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
        # The result. For `reads`: `refused` for each status of 400 or more. Known values: ok, refused; more may be added.
        "outcome": "str",
        # The header Request-Id of the answer
        "request_id": "str | None",
        # The object of the action: the id of a key, the name of an endpoint
        "subject": "str | None",
    },
)

CertificateValidityPeriods = TypedDict(
    "CertificateValidityPeriods",
    {
        # First day of the period
        "from": "str",
        # Last day of the period; null = unlimited
        "until": "str | None",
        # The reason for the period. Known values: initial, renewal, extension; more may be added.
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
        # The certified product, in the words of the certificate
        "title": "str",
        # The principal product
        "product_id": "str | None",
        # The project it came from
        "project_id": "str | None",
        # The principal approval
        "approval_id": "str | None",
        # The certificate that this one replaces
        "supersedes_id": "str | None",
        # The principal country (ISO 3166-1 alpha-2)
        "country_code": "str | None",
        # Abbreviation of the issuing authority
        "authority": "str | None",
        # Mark or scheme
        "scheme": "str | None",
        # Kind of document. Known values: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other; more may be added.
        "certificate_type": "str | None",
        # The decision of the authority. Known values: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded; more may be added.
        "approval_status": "str",
        # Computed for the day from status and dates. Known values: not_yet_valid, valid, expired, void; more may be added.
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
        # The holder
        "holder": "str | None",
        # Standards it attests
        "standards": "list[str]",
        # Tags that the customer or the operator chose
        "tags": "list[str]",
        # Where the authority publishes it
        "source_url": "str | None",
        # Time at which the service first stored the record
        "created_at": "str",
        # When the record last changed. To keep a copy up to date, use the change feed instead
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
        # The related records that the parameter include names
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
        # The records, in the requested order
        "data": "list[Certificate]",
        "page": "DayPageInfo",
        # The related records that the parameter include names
        "included": "NotRequired[CertificatePageIncluded]",
    },
)

Change = TypedDict(
    "Change",
    {
        # Whether to replace or to remove the record with this id. Known values: upsert, delete; more may be added.
        "op": "str",
        # The resource. Known values: certificates, products, projects, countries, lab, approvals; more may be added.
        "resource": "str",
        # Id of the record
        "id": "str",
        # Approximate time of the change, for information only
        "at": "str",
        # The reason for the change: `day` or `settings` if the record was not written, `filter` if it no longer matches the filter. Omitted for a written record that still matches. Known values: day, settings, filter; more may be added.
        "cause": "NotRequired[str]",
        # The fields that differ from the state of the token. Omitted if they are not known, for example for a new record
        "changed": "NotRequired[list[str]]",
        # With `previous=true`: the values of these fields in the state of the token
        "previous": "NotRequired[dict[str, Any]]",
        # The present record, whole or with the chosen fields; null if it is to be removed. Schemas by resource: certificates: Certificate, products: Product, projects: Project, countries: Country, lab: LabReport, approvals: Approval
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
        # Whether more changes can be read now
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
        # Its responsibility
        "role": "str | None",
    },
)

CountryRequirementsValidity = TypedDict(
    "CountryRequirementsValidity",
    {
        # Known values: unlimited, fixed; more may be added.
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
        # Whether tests must run in the country. Known values: required, sometimes, not_required; more may be added.
        "in_country_testing": "str | None",
        # Whether a local representative must hold the approval. Known values: required, not_required; more may be added.
        "local_representative": "str | None",
        # How long an approval holds
        "validity": "CountryRequirementsValidity | None",
        # Usual time to approval, in weeks
        "lead_time_weeks": "CountryRequirementsLeadTimeWeeks | None",
        # Further facts
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
        # Region. Known values: europe, americas, asia_pacific, middle_east_africa, cis; more may be added.
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
        # How reliable the facts are. Known values: high, medium, low; more may be added.
        "confidence": "str",
        # Day the facts were last reviewed
        "reviewed_on": "str | None",
        # Time at which the service first stored the record
        "created_at": "str",
        # When the record last changed. To keep a copy up to date, use the change feed instead
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
        # The records, in the requested order
        "data": "list[Country]",
        "page": "DayPageInfo",
    },
)

DayPageInfo = TypedDict(
    "DayPageInfo",
    {
        # Requested number of records
        "limit": "int",
        # Whether another page follows
        "has_more": "bool",
        # Value of the parameter cursor for the next page; null on the last
        "next_cursor": "str | None",
        # Number of all matching records, up to 100000, with count=exact
        "total": "NotRequired[int]",
        # True if more records may match than total; left out if total is exact
        "total_is_lower_bound": "NotRequired[bool]",
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
        # The kind of fault, for programs
        "code": "str",
        # The expected value
        "detail": "str",
        # The nearest valid name or value
        "did_you_mean": "NotRequired[str]",
    },
)

FieldChange = TypedDict(
    "FieldChange",
    {
        # The old value. Null if the record did not exist
        "from": "Any",
        # The new value. Null if the record was deleted
        "to": "Any",
    },
)

HistoryEntry = TypedDict(
    "HistoryEntry",
    {
        # The resource. Known values: certificates, products, projects, countries, lab, approvals; more may be added.
        "resource": "str",
        # Id of the record
        "id": "str",
        # When it changed: the time at which its transaction began. The `updated_at` of the record from then on
        "at": "str",
        # What happened to the record. Known values: create, update, delete; more may be added.
        "op": "str",
        # `day`: a new day (UTC) changed computed fields. Omitted if the record was written. Known values: day; more may be added.
        "cause": "NotRequired[str]",
        # The changed fields, by name. If the record was created or deleted: all fields with a value
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
        # Requested number of entries
        "limit": "int",
        # Whether another page follows
        "has_more": "bool",
        # Value of the parameter cursor for the next page; null on the last
        "next_cursor": "str | None",
        # History is complete since this time. Older changes are not shown
        "history_from": "str",
    },
)

Introspection = TypedDict(
    "Introspection",
    {
        # Whether the service accepts this token now
        "active": "bool",
        # The scopes of the token, separated by spaces
        "scope": "NotRequired[str]",
        # Id of the API key
        "client_id": "NotRequired[str]",
        # The same
        "sub": "NotRequired[str]",
        # The customer whose records it reads
        "customer": "NotRequired[str]",
        # How the token is sent: Authorization: Bearer <token>
        "token_type": "NotRequired[Literal[\"Bearer\"]]",
        # The issuer
        "iss": "NotRequired[str]",
        # The service that the token is for
        "aud": "NotRequired[str]",
        # Issued, in seconds since 1970
        "iat": "NotRequired[int]",
        # Not valid before this time, in seconds since 1970
        "nbf": "NotRequired[int]",
        # Valid until, in seconds since 1970
        "exp": "NotRequired[int]",
        # Id of the token
        "jti": "NotRequired[str]",
    },
)

KeySummary = TypedDict(
    "KeySummary",
    {
        # Id of the key: its part after cda_live_
        "id": "str",
        # The operator's name for the key
        "name": "str | None",
        # End of the key, or null without an end. Ask for a new key, or rotate it, before this time
        "expires_at": "str | None",
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
        # Kind of test. Known values: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy; more may be added.
        "test_type": "str | None",
        # Standards tested against
        "standards": "list[str]",
        # State of the report. Known values: planned, in_testing, draft, issued, superseded, withdrawn, cancelled; more may be added.
        "status": "str",
        # Verdict; null until issued. Known values: pass, fail, pass_with_deviation, inconclusive; more may be added.
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
        # The report that this one replaces
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
        # Tags that the customer or the operator chose
        "tags": "list[str]",
        # Time at which the service first stored the record
        "created_at": "str",
        # When the record last changed. To keep a copy up to date, use the change feed instead
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
        # The related records that the parameter include names
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
        # The records, in the requested order
        "data": "list[LabReport]",
        "page": "PageInfo",
        # The related records that the parameter include names
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
        # The plan. Known values: basic, premium, enterprise; more may be added.
        "plan": "str",
        # Scopes of the token
        "scopes": "list[str]",
        # The API key of the token. Null for the demo token
        "key": "KeySummary | None",
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
        # The error: invalid_request, invalid_client, unauthorized_client, unsupported_grant_type, invalid_scope
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
        # Requested number of records
        "limit": "int",
        # Whether another page follows
        "has_more": "bool",
        # Value of the parameter cursor for the next page; null on the last
        "next_cursor": "str | None",
        # Number of all matching records, up to 100000, with count=exact
        "total": "NotRequired[int]",
        # True if more records may match than total; left out if total is exact
        "total_is_lower_bound": "NotRequired[bool]",
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
        # State of the product. Known values: draft, in_development, active, phase_out, discontinued; more may be added.
        "product_status": "str",
        # Category, free text
        "category": "str | None",
        # Radio technologies on board
        "technologies": "list[str]",
        # Hardware version
        "hardware_version": "str | None",
        # Software version
        "software_version": "str | None",
        # The product that this one is a variant of
        "parent_product_id": "str | None",
        # Tags that the customer or the operator chose
        "tags": "list[str]",
        # Time at which the service first stored the record
        "created_at": "str",
        # When the record last changed. To keep a copy up to date, use the change feed instead
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
        # The records, in the requested order
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
        # Title of the order
        "title": "str",
        # State of the project. Known values: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined; more may be added.
        "status": "str",
        # Kind of order. Known values: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting; more may be added.
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
        # Tags that the customer or the operator chose
        "tags": "list[str]",
        # Time at which the service first stored the record
        "created_at": "str",
        # When the record last changed. To keep a copy up to date, use the change feed instead
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
        # The records, in the requested order
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

RotatedKey = TypedDict(
    "RotatedKey",
    {
        # The new API key. Store it before you log in with it
        "api_key": "str",
        "key": "KeySummary",
        # End of the new key from its first login on, or null without an end. Until then it ends at `key.expires_at`, a day after this answer
        "expires_at_after_login": "str | None",
        # Id of the previous key, which works until then
        "replaces": "str",
        # How long the previous key works after the first login with the new one
        "overlap_seconds": "int",
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
        # The scopes of the token, separated by spaces
        "scope": "str",
        "key": "KeySummary",
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
        # The type of client_assertion, for a client that signs (RFC 7523)
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
        # The type of client_assertion, for a client that signs (RFC 7523)
        "client_assertion_type": "NotRequired[Literal[\"urn:ietf:params:oauth:client-assertion-type:jwt-bearer\"]]",
        # Of a client that signs, in place of a secret: a JWT (private_key_jwt), which counts once
        "client_assertion": "NotRequired[str]",
    },
)

UsageCounted = TypedDict(
    "UsageCounted",
    {
        # The first day that is kept
        "from": "str",
        # Today (UTC)
        "until": "str",
        # Seconds after which each process adds its counts. A killed process loses the last ones
        "write_seconds": "int",
        # The same in words
        "note": "str",
    },
)

Usage = TypedDict(
    "Usage",
    {
        # Days with requests, the newest first
        "data": "list[UsageDay]",
        # How exact the counts are
        "counted": "UsageCounted",
    },
)

UsageDay = TypedDict(
    "UsageDay",
    {
        # The day (UTC)
        "day": "str",
        # Path of the endpoint with names of its parameters. `/v1/*`: unknown addresses
        "endpoint": "str",
        # All requests, also by older addresses of the endpoint
        "requests": "int",
        # Requests that were answered with 304
        "not_modified": "int",
        # Requests that were answered with a status of 400 or more
        "refused": "int",
        # Bytes of the bodies as they were sent, often compressed
        "bytes": "int",
    },
)

Webhook = TypedDict(
    "Webhook",
    {
        # Id of the webhook
        "id": "str",
        # Address of the receiver
        "url": "str",
        # Resources whose changes are reported
        "resources": "list[str]",
        # The state. `failing`: the receiver did not accept the last message, and the service tries again. Known values: active, failing, disabled; more may be added.
        "state": "str",
        # Why the webhook is disabled; otherwise null. `gone`: the receiver answered 410. Known values: operator, gone, failing; more may be added.
        "reason": "str | None",
        # Since when no message is accepted; null if the last one was
        "failing_since": "str | None",
        # When the service tries again; null if nothing waits
        "next_attempt_at": "str | None",
        # Result of the last attempt: a status or an error
        "last_result": "str | None",
        # When the receiver last accepted a message; null if never
        "delivered_at": "str | None",
        # When the webhook was made
        "created_at": "str",
    },
)

WebhookDeliveries = TypedDict(
    "WebhookDeliveries",
    {
        # The last 20 attempts, the newest first
        "data": "list[WebhookDelivery]",
    },
)

WebhookDelivery = TypedDict(
    "WebhookDelivery",
    {
        # When the message was sent
        "at": "str",
        # Id of the message, the same at each attempt, as in the header webhook-id
        "message_id": "str",
        # The status of the answer, or an error
        "result": "str",
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
        # One key; two while the service changes its keys. A message has a signature by each
        "keys": "list[WebhookKey]",
    },
)

WebhookMessageData = TypedDict(
    "WebhookMessageData",
    {
        # Resources in which records changed
        "resources": "list[str]",
        # Value of `after` for `GET /v1/changes`. `snapshot`: the changes are not known. Omitted in a test
        "after": "NotRequired[str]",
    },
)

WebhookMessage = TypedDict(
    "WebhookMessage",
    {
        # Purpose of the message. A test reports no change. Known values: changes.available, webhook.test; more may be added.
        "type": "str",
        # Creation time of the message. The same at each attempt
        "timestamp": "str",
        # The changed resources, without the data
        "data": "WebhookMessageData",
    },
)

Webhooks = TypedDict(
    "Webhooks",
    {
        # The webhooks of the customer, the oldest first
        "data": "list[Webhook]",
    },
)

CertificatesQuery = TypedDict(
    "CertificatesQuery",
    {
        # Matches any of the given ids, for example `id=crt-lumen-gateway-us,crt-tracker-mini-br`.
        "id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "id[eq]": "Value | None",
        # Not equal to this value, or null
        "id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "id[null]": "bool | None",
        # Matches any of the given numbers, for example `number=2AZZX-LG200,2AZZX-EXW6M`.
        "number": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "number[eq]": "Value | None",
        # Not equal to this value, or null
        "number[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "number[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "number[nin]": "Value | Sequence[Value] | None",
        # Begins with this text
        "number[prefix]": "Value | None",
        # `true`: is null. `false`: is not null
        "number[null]": "bool | None",
        # Matches any of the given product ids, for example `product_id=prd-lumen-gateway,prd-tracker-mini`.
        "product_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "product_id[eq]": "Value | None",
        # Not equal to this value, or null
        "product_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "product_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "product_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "product_id[null]": "bool | None",
        # Matches any of the given project ids, for example `project_id=prj-1001,prj-1002`.
        "project_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "project_id[eq]": "Value | None",
        # Not equal to this value, or null
        "project_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "project_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "project_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "project_id[null]": "bool | None",
        # Matches any of the given approval ids, for example `approval_id=apr-lumen-gateway-us`.
        "approval_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "approval_id[eq]": "Value | None",
        # Not equal to this value, or null
        "approval_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "approval_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "approval_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "approval_id[null]": "bool | None",
        # Matches any of the given country codes, for example `country_code=US,BR`.
        "country_code": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "country_code[eq]": "Value | None",
        # Not equal to this value, or null
        "country_code[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "country_code[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "country_code[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "country_code[null]": "bool | None",
        # Matches any of the given authorities, for example `authority=FCC,ANATEL`.
        "authority": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "authority[eq]": "Value | None",
        # Not equal to this value, or null
        "authority[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "authority[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "authority[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "authority[null]": "bool | None",
        # Matches any of the given schemes, for example `scheme=FCC ID,CE RED`.
        "scheme": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "scheme[eq]": "Value | None",
        # Not equal to this value, or null
        "scheme[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "scheme[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "scheme[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "scheme[null]": "bool | None",
        # Matches any of the given certificate types, for example `certificate_type=type_approval`. Values: type_approval, declaration_of_conformity, certificate_of_conformity, registration, safety_certificate, module_approval, other.
        "certificate_type": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "certificate_type[eq]": "Value | None",
        # Not equal to this value, or null
        "certificate_type[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "certificate_type[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "certificate_type[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "certificate_type[null]": "bool | None",
        # Matches any of the given approval statuses, for example `approval_status=approved`. Values: pending, approved, conditional, rejected, suspended, revoked, withdrawn, superseded.
        "approval_status": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "approval_status[eq]": "Value | None",
        # Not equal to this value, or null
        "approval_status[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "approval_status[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "approval_status[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "approval_status[null]": "bool | None",
        # Matches any of the given validities, for example `validity=valid`. Values: not_yet_valid, valid, expired, void.
        "validity": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "validity[eq]": "Value | None",
        # Not equal to this value, or null
        "validity[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "validity[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "validity[nin]": "Value | Sequence[Value] | None",
        # `true` or `false`, for example `expiring=false`.
        "expiring": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "expiring[eq]": "Value | None",
        # Not equal to this value, or null
        "expiring[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "expiring[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "expiring[nin]": "Value | Sequence[Value] | None",
        # A day, for example `valid_from[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "valid_from": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "valid_from[eq]": "Value | None",
        # Not equal to this value, or null
        "valid_from[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "valid_from[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "valid_from[nin]": "Value | Sequence[Value] | None",
        # After this
        "valid_from[gt]": "Value | None",
        # At this or after it
        "valid_from[gte]": "Value | None",
        # Before this
        "valid_from[lt]": "Value | None",
        # At this or before it
        "valid_from[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "valid_from[null]": "bool | None",
        # A day, for example `valid_until[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "valid_until": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "valid_until[eq]": "Value | None",
        # Not equal to this value, or null
        "valid_until[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "valid_until[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "valid_until[nin]": "Value | Sequence[Value] | None",
        # After this
        "valid_until[gt]": "Value | None",
        # At this or after it
        "valid_until[gte]": "Value | None",
        # Before this
        "valid_until[lt]": "Value | None",
        # At this or before it
        "valid_until[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "valid_until[null]": "bool | None",
        # A day, for example `issued_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "issued_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "issued_on[eq]": "Value | None",
        # Not equal to this value, or null
        "issued_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "issued_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "issued_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "issued_on[gt]": "Value | None",
        # At this or after it
        "issued_on[gte]": "Value | None",
        # Before this
        "issued_on[lt]": "Value | None",
        # At this or before it
        "issued_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "issued_on[null]": "bool | None",
        # Contains any of the given standards, for example `standards=FCC Part 15C,FCC Part 15B`.
        "standards": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "standards[eq]": "Value | None",
        # Does not contain this value
        "standards[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "standards[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "standards[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "standards[all]": "Value | Sequence[Value] | None",
        # Contains any of the given tags, for example `tags=in-force,flagship`.
        "tags": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "tags[eq]": "Value | None",
        # Does not contain this value
        "tags[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "tags[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "tags[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "tags[all]": "Value | Sequence[Value] | None",
        # An instant or a day (UTC), for example `created_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "created_at": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "created_at[eq]": "Value | None",
        # Not equal to this value, or null
        "created_at[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "created_at[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "created_at[nin]": "Value | Sequence[Value] | None",
        # After this
        "created_at[gt]": "Value | None",
        # At this or after it
        "created_at[gte]": "Value | None",
        # Before this
        "created_at[lt]": "Value | None",
        # At this or before it
        "created_at[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "created_at[null]": "bool | None",
        # An instant or a day (UTC), for example `updated_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "updated_at": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "updated_at[eq]": "Value | None",
        # Not equal to this value, or null
        "updated_at[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "updated_at[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "updated_at[nin]": "Value | Sequence[Value] | None",
        # After this
        "updated_at[gt]": "Value | None",
        # At this or after it
        "updated_at[gte]": "Value | None",
        # Before this
        "updated_at[lt]": "Value | None",
        # At this or before it
        "updated_at[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "updated_at[null]": "bool | None",
        # Searches for words. Each must begin a word of `number`, `title`, `holder`. Case and accents do not matter. 1 to 5 words of at least two letters or digits.
        "q": "Value | Sequence[Value] | None",
        # At most 3 keys, separated by commas. A leading `-` reverses a key. Keys: `valid_until`, `valid_from`, `issued_on`, `number`, `updated_at`, `created_at`, `id`. Null is the greatest value. `id` breaks ties. To read all pages while records change, sort by `id`, which never changes.
        "sort": "Value | Sequence[Value] | None",
        # Number of records on a page. Without it, an export has no limit.
        "limit": "int | None",
        # `page.next_cursor` of the previous answer, unchanged, with the same filters and sort. Not with an export.
        "cursor": "Value | None",
        # Adds `page.total`, the number of all matching records up to 100000. Not with an export.
        "count": "Literal[\"exact\"] | None",
        # Only these fields, separated by commas. `id` is always included. Default: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Adds related records under `included`, by id. Separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `project` needs projects:read, `country` needs countries:read.
        "include": "Value | Sequence[Value] | None",
        # Computes the answer for this day with today's statuses: a day, or `today`, `today+90d`, `today-30d`.
        "on": "Value | None",
        # Number of days before its end in which a certificate counts as expiring. Default: the customer's setting.
        "expiring_within": "int | None",
        # Starts a CSV file with a byte order mark, which some spreadsheets need. Only with CSV.
        "bom": "bool | None",
    },
    total=False,
)

CertificatesItemQuery = TypedDict(
    "CertificatesItemQuery",
    {
        # Only these fields, separated by commas. `id` is always included. Default: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Adds related records under `included`, by id. Separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `project` needs projects:read, `country` needs countries:read.
        "include": "Value | Sequence[Value] | None",
        # Computes the answer for this day with today's statuses: a day, or `today`, `today+90d`, `today-30d`.
        "on": "Value | None",
        # Shows the certificate as it was at the end of this day (UTC): a day, or `today-30d`. Not with `on` and `include`.
        "as_of": "Value | None",
        # Number of days before its end in which a certificate counts as expiring. Default: the customer's setting.
        "expiring_within": "int | None",
    },
    total=False,
)

ProductsQuery = TypedDict(
    "ProductsQuery",
    {
        # Matches any of the given ids, for example `id=prd-lumen-gateway,prd-tracker-mini`.
        "id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "id[eq]": "Value | None",
        # Not equal to this value, or null
        "id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "id[null]": "bool | None",
        # Matches any of the given names, for example `name=Lumen Gateway,Tracker Mini`.
        "name": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "name[eq]": "Value | None",
        # Not equal to this value, or null
        "name[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "name[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "name[nin]": "Value | Sequence[Value] | None",
        # Begins with this text
        "name[prefix]": "Value | None",
        # `true`: is null. `false`: is not null
        "name[null]": "bool | None",
        # Contains any of the given part numbers, for example `part_numbers=EXD-LG200-EU,EXD-LG200-US`.
        "part_numbers": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "part_numbers[eq]": "Value | None",
        # Does not contain this value
        "part_numbers[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "part_numbers[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "part_numbers[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "part_numbers[all]": "Value | Sequence[Value] | None",
        # Matches any of the given models, for example `model=LG200`.
        "model": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "model[eq]": "Value | None",
        # Not equal to this value, or null
        "model[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "model[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "model[nin]": "Value | Sequence[Value] | None",
        # Begins with this text
        "model[prefix]": "Value | None",
        # `true`: is null. `false`: is not null
        "model[null]": "bool | None",
        # Matches any of the given brands, for example `brand=Exampleware`.
        "brand": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "brand[eq]": "Value | None",
        # Not equal to this value, or null
        "brand[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "brand[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "brand[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "brand[null]": "bool | None",
        # Matches any of the given product statuses, for example `product_status=active`. Values: draft, in_development, active, phase_out, discontinued.
        "product_status": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "product_status[eq]": "Value | None",
        # Not equal to this value, or null
        "product_status[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "product_status[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "product_status[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "product_status[null]": "bool | None",
        # Matches any of the given categories, for example `category=IoT gateway,Radio module`.
        "category": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "category[eq]": "Value | None",
        # Not equal to this value, or null
        "category[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "category[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "category[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "category[null]": "bool | None",
        # Contains any of the given technologies, for example `technologies=wifi,bluetooth`. Values: wifi, bluetooth, cellular, nfc, uwb, srd, gnss, radar, lpwan, satellite, wireless_power.
        "technologies": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "technologies[eq]": "Value | None",
        # Does not contain this value
        "technologies[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "technologies[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "technologies[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "technologies[all]": "Value | Sequence[Value] | None",
        # Matches any of the given parent product ids, for example `parent_product_id=prd-lumen-gateway`.
        "parent_product_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "parent_product_id[eq]": "Value | None",
        # Not equal to this value, or null
        "parent_product_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "parent_product_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "parent_product_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "parent_product_id[null]": "bool | None",
        # Contains any of the given tags, for example `tags=connected-home`.
        "tags": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "tags[eq]": "Value | None",
        # Does not contain this value
        "tags[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "tags[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "tags[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "tags[all]": "Value | Sequence[Value] | None",
        # An instant or a day (UTC), for example `created_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "created_at": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "created_at[eq]": "Value | None",
        # Not equal to this value, or null
        "created_at[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "created_at[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "created_at[nin]": "Value | Sequence[Value] | None",
        # After this
        "created_at[gt]": "Value | None",
        # At this or after it
        "created_at[gte]": "Value | None",
        # Before this
        "created_at[lt]": "Value | None",
        # At this or before it
        "created_at[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "created_at[null]": "bool | None",
        # An instant or a day (UTC), for example `updated_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "updated_at": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "updated_at[eq]": "Value | None",
        # Not equal to this value, or null
        "updated_at[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "updated_at[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "updated_at[nin]": "Value | Sequence[Value] | None",
        # After this
        "updated_at[gt]": "Value | None",
        # At this or after it
        "updated_at[gte]": "Value | None",
        # Before this
        "updated_at[lt]": "Value | None",
        # At this or before it
        "updated_at[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "updated_at[null]": "bool | None",
        # Searches for words. Each must begin a word of `name`, `part_numbers`, `model`, `brand`, `manufacturer`. Case and accents do not matter. 1 to 5 words of at least two letters or digits.
        "q": "Value | Sequence[Value] | None",
        # At most 3 keys, separated by commas. A leading `-` reverses a key. Keys: `name`, `model`, `updated_at`, `created_at`, `id`. Null is the greatest value. `id` breaks ties. To read all pages while records change, sort by `id`, which never changes.
        "sort": "Value | Sequence[Value] | None",
        # Number of records on a page. Without it, an export has no limit.
        "limit": "int | None",
        # `page.next_cursor` of the previous answer, unchanged, with the same filters and sort. Not with an export.
        "cursor": "Value | None",
        # Adds `page.total`, the number of all matching records up to 100000. Not with an export.
        "count": "Literal[\"exact\"] | None",
        # Only these fields, separated by commas. `id` is always included. Default: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Starts a CSV file with a byte order mark, which some spreadsheets need. Only with CSV.
        "bom": "bool | None",
    },
    total=False,
)

ProductsItemQuery = TypedDict(
    "ProductsItemQuery",
    {
        # Only these fields, separated by commas. `id` is always included. Default: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Shows the product as it was at the end of this day (UTC): a day, or `today-30d`. Not with `on` and `include`.
        "as_of": "Value | None",
    },
    total=False,
)

ProjectsQuery = TypedDict(
    "ProjectsQuery",
    {
        # Matches any of the given ids, for example `id=prj-1001,prj-1002`.
        "id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "id[eq]": "Value | None",
        # Not equal to this value, or null
        "id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "id[null]": "bool | None",
        # Matches any of the given project numbers, for example `project_number=EXD-1001,EXD-1002`.
        "project_number": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "project_number[eq]": "Value | None",
        # Not equal to this value, or null
        "project_number[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "project_number[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "project_number[nin]": "Value | Sequence[Value] | None",
        # Begins with this text
        "project_number[prefix]": "Value | None",
        # `true`: is null. `false`: is not null
        "project_number[null]": "bool | None",
        # Matches any of the given customer references, for example `customer_reference=PO-4500011873`.
        "customer_reference": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "customer_reference[eq]": "Value | None",
        # Not equal to this value, or null
        "customer_reference[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "customer_reference[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "customer_reference[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "customer_reference[null]": "bool | None",
        # Matches any of the given statuses, for example `status=completed`. Values: draft, quoted, ordered, in_progress, on_hold, completed, cancelled, declined.
        "status": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "status[eq]": "Value | None",
        # Not equal to this value, or null
        "status[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "status[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "status[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "status[null]": "bool | None",
        # Matches any of the given classifications, for example `classification=new_certification`. Values: new_certification, renewal, modification, variant, extension, transfer, pre_compliance, testing, consulting.
        "classification": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "classification[eq]": "Value | None",
        # Not equal to this value, or null
        "classification[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "classification[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "classification[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "classification[null]": "bool | None",
        # Contains any of the given product ids, for example `product_ids=prd-lumen-gateway`.
        "product_ids": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "product_ids[eq]": "Value | None",
        # Does not contain this value
        "product_ids[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "product_ids[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "product_ids[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "product_ids[all]": "Value | Sequence[Value] | None",
        # Contains any of the given country codes, for example `country_codes=US,CA`.
        "country_codes": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "country_codes[eq]": "Value | None",
        # Does not contain this value
        "country_codes[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "country_codes[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "country_codes[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "country_codes[all]": "Value | Sequence[Value] | None",
        # A day, for example `ordered_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "ordered_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "ordered_on[eq]": "Value | None",
        # Not equal to this value, or null
        "ordered_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "ordered_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "ordered_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "ordered_on[gt]": "Value | None",
        # At this or after it
        "ordered_on[gte]": "Value | None",
        # Before this
        "ordered_on[lt]": "Value | None",
        # At this or before it
        "ordered_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "ordered_on[null]": "bool | None",
        # A day, for example `due_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "due_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "due_on[eq]": "Value | None",
        # Not equal to this value, or null
        "due_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "due_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "due_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "due_on[gt]": "Value | None",
        # At this or after it
        "due_on[gte]": "Value | None",
        # Before this
        "due_on[lt]": "Value | None",
        # At this or before it
        "due_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "due_on[null]": "bool | None",
        # A day, for example `completed_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "completed_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "completed_on[eq]": "Value | None",
        # Not equal to this value, or null
        "completed_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "completed_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "completed_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "completed_on[gt]": "Value | None",
        # At this or after it
        "completed_on[gte]": "Value | None",
        # Before this
        "completed_on[lt]": "Value | None",
        # At this or before it
        "completed_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "completed_on[null]": "bool | None",
        # Contains any of the given tags, for example `tags=flagship,strategic`.
        "tags": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "tags[eq]": "Value | None",
        # Does not contain this value
        "tags[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "tags[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "tags[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "tags[all]": "Value | Sequence[Value] | None",
        # An instant or a day (UTC), for example `created_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "created_at": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "created_at[eq]": "Value | None",
        # Not equal to this value, or null
        "created_at[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "created_at[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "created_at[nin]": "Value | Sequence[Value] | None",
        # After this
        "created_at[gt]": "Value | None",
        # At this or after it
        "created_at[gte]": "Value | None",
        # Before this
        "created_at[lt]": "Value | None",
        # At this or before it
        "created_at[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "created_at[null]": "bool | None",
        # An instant or a day (UTC), for example `updated_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "updated_at": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "updated_at[eq]": "Value | None",
        # Not equal to this value, or null
        "updated_at[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "updated_at[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "updated_at[nin]": "Value | Sequence[Value] | None",
        # After this
        "updated_at[gt]": "Value | None",
        # At this or after it
        "updated_at[gte]": "Value | None",
        # Before this
        "updated_at[lt]": "Value | None",
        # At this or before it
        "updated_at[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "updated_at[null]": "bool | None",
        # Searches for words. Each must begin a word of `project_number`, `customer_reference`, `title`. Case and accents do not matter. 1 to 5 words of at least two letters or digits.
        "q": "Value | Sequence[Value] | None",
        # At most 3 keys, separated by commas. A leading `-` reverses a key. Keys: `project_number`, `due_on`, `ordered_on`, `updated_at`, `created_at`, `id`. Null is the greatest value. `id` breaks ties. To read all pages while records change, sort by `id`, which never changes.
        "sort": "Value | Sequence[Value] | None",
        # Number of records on a page. Without it, an export has no limit.
        "limit": "int | None",
        # `page.next_cursor` of the previous answer, unchanged, with the same filters and sort. Not with an export.
        "cursor": "Value | None",
        # Adds `page.total`, the number of all matching records up to 100000. Not with an export.
        "count": "Literal[\"exact\"] | None",
        # Only these fields, separated by commas. `id` is always included. Default: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Starts a CSV file with a byte order mark, which some spreadsheets need. Only with CSV.
        "bom": "bool | None",
    },
    total=False,
)

ProjectsItemQuery = TypedDict(
    "ProjectsItemQuery",
    {
        # Only these fields, separated by commas. `id` is always included. Default: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Shows the project as it was at the end of this day (UTC): a day, or `today-30d`. Not with `on` and `include`.
        "as_of": "Value | None",
    },
    total=False,
)

CountriesQuery = TypedDict(
    "CountriesQuery",
    {
        # Matches any of the given ids, for example `id=US,BR`.
        "id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "id[eq]": "Value | None",
        # Not equal to this value, or null
        "id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "id[null]": "bool | None",
        # Matches any of the given codes, for example `code=US,BR`.
        "code": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "code[eq]": "Value | None",
        # Not equal to this value, or null
        "code[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "code[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "code[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "code[null]": "bool | None",
        # Matches any of the given alpha3 codes, for example `alpha3=USA`.
        "alpha3": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "alpha3[eq]": "Value | None",
        # Not equal to this value, or null
        "alpha3[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "alpha3[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "alpha3[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "alpha3[null]": "bool | None",
        # Matches any of the given names, for example `name=United States`.
        "name": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "name[eq]": "Value | None",
        # Not equal to this value, or null
        "name[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "name[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "name[nin]": "Value | Sequence[Value] | None",
        # Begins with this text
        "name[prefix]": "Value | None",
        # `true`: is null. `false`: is not null
        "name[null]": "bool | None",
        # Matches any of the given regions, for example `region=americas`. Values: europe, americas, asia_pacific, middle_east_africa, cis.
        "region": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "region[eq]": "Value | None",
        # Not equal to this value, or null
        "region[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "region[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "region[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "region[null]": "bool | None",
        # Contains any of the given blocs, for example `blocs=USMCA`.
        "blocs": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "blocs[eq]": "Value | None",
        # Does not contain this value
        "blocs[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "blocs[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "blocs[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "blocs[all]": "Value | Sequence[Value] | None",
        # An instant or a day (UTC), for example `updated_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "updated_at": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "updated_at[eq]": "Value | None",
        # Not equal to this value, or null
        "updated_at[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "updated_at[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "updated_at[nin]": "Value | Sequence[Value] | None",
        # After this
        "updated_at[gt]": "Value | None",
        # At this or after it
        "updated_at[gte]": "Value | None",
        # Before this
        "updated_at[lt]": "Value | None",
        # At this or before it
        "updated_at[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "updated_at[null]": "bool | None",
        # Searches for words. Each must begin a word of `code`, `alpha3`, `name`, `authorities`. Case and accents do not matter. 1 to 5 words of at least two letters or digits.
        "q": "Value | Sequence[Value] | None",
        # At most 3 keys, separated by commas. A leading `-` reverses a key. Keys: `code`, `name`, `region`, `id`. Null is the greatest value. `id` breaks ties. To read all pages while records change, sort by `id`, which never changes.
        "sort": "Value | Sequence[Value] | None",
        # Number of records on a page. Without it, an export has no limit.
        "limit": "int | None",
        # `page.next_cursor` of the previous answer, unchanged, with the same filters and sort. Not with an export.
        "cursor": "Value | None",
        # Adds `page.total`, the number of all matching records up to 100000. Not with an export.
        "count": "Literal[\"exact\"] | None",
        # Only these fields, separated by commas. `id` is always included. Default: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Computes the answer for this day with today's statuses: a day, or `today`, `today+90d`, `today-30d`.
        "on": "Value | None",
        # Number of days before its end in which a certificate counts as expiring. Default: the customer's setting.
        "expiring_within": "int | None",
        # Starts a CSV file with a byte order mark, which some spreadsheets need. Only with CSV.
        "bom": "bool | None",
    },
    total=False,
)

CountriesItemQuery = TypedDict(
    "CountriesItemQuery",
    {
        # Only these fields, separated by commas. `id` is always included. Default: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Computes the answer for this day with today's statuses: a day, or `today`, `today+90d`, `today-30d`.
        "on": "Value | None",
        # Shows the country as it was at the end of this day (UTC): a day, or `today-30d`. Not with `on` and `include`.
        "as_of": "Value | None",
        # Number of days before its end in which a certificate counts as expiring. Default: the customer's setting.
        "expiring_within": "int | None",
    },
    total=False,
)

LabQuery = TypedDict(
    "LabQuery",
    {
        # Matches any of the given ids, for example `id=lab-lumen-gateway-004,lab-lumen-gateway-006`.
        "id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "id[eq]": "Value | None",
        # Not equal to this value, or null
        "id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "id[null]": "bool | None",
        # Matches any of the given report numbers, for example `report_number=EXD-TR-004,EXD-TR-006`.
        "report_number": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "report_number[eq]": "Value | None",
        # Not equal to this value, or null
        "report_number[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "report_number[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "report_number[nin]": "Value | Sequence[Value] | None",
        # Begins with this text
        "report_number[prefix]": "Value | None",
        # `true`: is null. `false`: is not null
        "report_number[null]": "bool | None",
        # Matches any of the given test types, for example `test_type=radio`. Values: radio, emc, safety, sar, environmental, protocol, cybersecurity, energy.
        "test_type": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "test_type[eq]": "Value | None",
        # Not equal to this value, or null
        "test_type[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "test_type[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "test_type[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "test_type[null]": "bool | None",
        # Contains any of the given standards, for example `standards=EN 300 328 V2.2.2,FCC Part 15C`.
        "standards": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "standards[eq]": "Value | None",
        # Does not contain this value
        "standards[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "standards[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "standards[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "standards[all]": "Value | Sequence[Value] | None",
        # Matches any of the given statuses, for example `status=issued`. Values: planned, in_testing, draft, issued, superseded, withdrawn, cancelled.
        "status": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "status[eq]": "Value | None",
        # Not equal to this value, or null
        "status[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "status[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "status[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "status[null]": "bool | None",
        # Matches any of the given results, for example `result=pass`. Values: pass, fail, pass_with_deviation, inconclusive.
        "result": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "result[eq]": "Value | None",
        # Not equal to this value, or null
        "result[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "result[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "result[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "result[null]": "bool | None",
        # Matches any of the given laboratories, for example `laboratory=Bayside Radio Testing\, Inc.`.
        "laboratory": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "laboratory[eq]": "Value | None",
        # Not equal to this value, or null
        "laboratory[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "laboratory[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "laboratory[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "laboratory[null]": "bool | None",
        # Matches any of the given product ids, for example `product_id=prd-lumen-gateway,prd-tracker-mini`.
        "product_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "product_id[eq]": "Value | None",
        # Not equal to this value, or null
        "product_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "product_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "product_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "product_id[null]": "bool | None",
        # Matches any of the given project ids, for example `project_id=prj-1001,prj-1002`.
        "project_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "project_id[eq]": "Value | None",
        # Not equal to this value, or null
        "project_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "project_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "project_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "project_id[null]": "bool | None",
        # Matches any of the given certificate ids, for example `certificate_id=crt-lumen-gateway-us`.
        "certificate_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "certificate_id[eq]": "Value | None",
        # Not equal to this value, or null
        "certificate_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "certificate_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "certificate_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "certificate_id[null]": "bool | None",
        # A day, for example `issued_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "issued_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "issued_on[eq]": "Value | None",
        # Not equal to this value, or null
        "issued_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "issued_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "issued_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "issued_on[gt]": "Value | None",
        # At this or after it
        "issued_on[gte]": "Value | None",
        # Before this
        "issued_on[lt]": "Value | None",
        # At this or before it
        "issued_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "issued_on[null]": "bool | None",
        # Contains any of the given tags, for example `tags=attention`.
        "tags": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "tags[eq]": "Value | None",
        # Does not contain this value
        "tags[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "tags[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "tags[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "tags[all]": "Value | Sequence[Value] | None",
        # An instant or a day (UTC), for example `created_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "created_at": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "created_at[eq]": "Value | None",
        # Not equal to this value, or null
        "created_at[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "created_at[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "created_at[nin]": "Value | Sequence[Value] | None",
        # After this
        "created_at[gt]": "Value | None",
        # At this or after it
        "created_at[gte]": "Value | None",
        # Before this
        "created_at[lt]": "Value | None",
        # At this or before it
        "created_at[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "created_at[null]": "bool | None",
        # An instant or a day (UTC), for example `updated_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "updated_at": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "updated_at[eq]": "Value | None",
        # Not equal to this value, or null
        "updated_at[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "updated_at[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "updated_at[nin]": "Value | Sequence[Value] | None",
        # After this
        "updated_at[gt]": "Value | None",
        # At this or after it
        "updated_at[gte]": "Value | None",
        # Before this
        "updated_at[lt]": "Value | None",
        # At this or before it
        "updated_at[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "updated_at[null]": "bool | None",
        # Searches for words. Each must begin a word of `report_number`, `title`, `laboratory`. Case and accents do not matter. 1 to 5 words of at least two letters or digits.
        "q": "Value | Sequence[Value] | None",
        # At most 3 keys, separated by commas. A leading `-` reverses a key. Keys: `issued_on`, `report_number`, `updated_at`, `created_at`, `id`. Null is the greatest value. `id` breaks ties. To read all pages while records change, sort by `id`, which never changes.
        "sort": "Value | Sequence[Value] | None",
        # Number of records on a page. Without it, an export has no limit.
        "limit": "int | None",
        # `page.next_cursor` of the previous answer, unchanged, with the same filters and sort. Not with an export.
        "cursor": "Value | None",
        # Adds `page.total`, the number of all matching records up to 100000. Not with an export.
        "count": "Literal[\"exact\"] | None",
        # Only these fields, separated by commas. `id` is always included. Default: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Adds related records under `included`, by id. Separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `certificate` needs certificates:read.
        "include": "Value | Sequence[Value] | None",
        # Starts a CSV file with a byte order mark, which some spreadsheets need. Only with CSV.
        "bom": "bool | None",
    },
    total=False,
)

LabItemQuery = TypedDict(
    "LabItemQuery",
    {
        # Only these fields, separated by commas. `id` is always included. Default: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Adds related records under `included`, by id. Separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `certificate` needs certificates:read.
        "include": "Value | Sequence[Value] | None",
        # Shows the test report as it was at the end of this day (UTC): a day, or `today-30d`. Not with `on` and `include`.
        "as_of": "Value | None",
    },
    total=False,
)

ApprovalsQuery = TypedDict(
    "ApprovalsQuery",
    {
        # Matches any of the given ids, for example `id=apr-lumen-gateway-us,apr-tracker-mini-br`.
        "id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "id[eq]": "Value | None",
        # Not equal to this value, or null
        "id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "id[null]": "bool | None",
        # Matches any of the given product ids, for example `product_id=prd-lumen-gateway,prd-tracker-mini`.
        "product_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "product_id[eq]": "Value | None",
        # Not equal to this value, or null
        "product_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "product_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "product_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "product_id[null]": "bool | None",
        # Matches any of the given country codes, for example `country_code=US,BR`.
        "country_code": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "country_code[eq]": "Value | None",
        # Not equal to this value, or null
        "country_code[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "country_code[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "country_code[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "country_code[null]": "bool | None",
        # Matches any of the given schemes, for example `scheme=FCC ID,CE RED`.
        "scheme": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "scheme[eq]": "Value | None",
        # Not equal to this value, or null
        "scheme[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "scheme[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "scheme[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "scheme[null]": "bool | None",
        # Matches any of the given project ids, for example `project_id=prj-1001,prj-1002`.
        "project_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "project_id[eq]": "Value | None",
        # Not equal to this value, or null
        "project_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "project_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "project_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "project_id[null]": "bool | None",
        # Matches any of the given certificate ids, for example `certificate_id=crt-lumen-gateway-us`.
        "certificate_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "certificate_id[eq]": "Value | None",
        # Not equal to this value, or null
        "certificate_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "certificate_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "certificate_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "certificate_id[null]": "bool | None",
        # Matches any of the given statuses, for example `status=granted`. Values: planned, preparing, testing, submitted, in_review, information_requested, on_hold, granted, rejected, cancelled, not_required.
        "status": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "status[eq]": "Value | None",
        # Not equal to this value, or null
        "status[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "status[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "status[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "status[null]": "bool | None",
        # `true` or `false`, for example `open=false`.
        "open": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "open[eq]": "Value | None",
        # Not equal to this value, or null
        "open[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "open[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "open[nin]": "Value | Sequence[Value] | None",
        # A day, for example `requested_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "requested_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "requested_on[eq]": "Value | None",
        # Not equal to this value, or null
        "requested_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "requested_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "requested_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "requested_on[gt]": "Value | None",
        # At this or after it
        "requested_on[gte]": "Value | None",
        # Before this
        "requested_on[lt]": "Value | None",
        # At this or before it
        "requested_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "requested_on[null]": "bool | None",
        # A day, for example `submitted_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "submitted_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "submitted_on[eq]": "Value | None",
        # Not equal to this value, or null
        "submitted_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "submitted_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "submitted_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "submitted_on[gt]": "Value | None",
        # At this or after it
        "submitted_on[gte]": "Value | None",
        # Before this
        "submitted_on[lt]": "Value | None",
        # At this or before it
        "submitted_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "submitted_on[null]": "bool | None",
        # A day, for example `decided_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "decided_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "decided_on[eq]": "Value | None",
        # Not equal to this value, or null
        "decided_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "decided_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "decided_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "decided_on[gt]": "Value | None",
        # At this or after it
        "decided_on[gte]": "Value | None",
        # Before this
        "decided_on[lt]": "Value | None",
        # At this or before it
        "decided_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "decided_on[null]": "bool | None",
        # A day, for example `expected_on[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "expected_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "expected_on[eq]": "Value | None",
        # Not equal to this value, or null
        "expected_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "expected_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "expected_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "expected_on[gt]": "Value | None",
        # At this or after it
        "expected_on[gte]": "Value | None",
        # Before this
        "expected_on[lt]": "Value | None",
        # At this or before it
        "expected_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "expected_on[null]": "bool | None",
        # Contains any of the given tags, for example `tags=renewal`.
        "tags": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "tags[eq]": "Value | None",
        # Does not contain this value
        "tags[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "tags[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "tags[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "tags[all]": "Value | Sequence[Value] | None",
        # An instant or a day (UTC), for example `created_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "created_at": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "created_at[eq]": "Value | None",
        # Not equal to this value, or null
        "created_at[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "created_at[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "created_at[nin]": "Value | Sequence[Value] | None",
        # After this
        "created_at[gt]": "Value | None",
        # At this or after it
        "created_at[gte]": "Value | None",
        # Before this
        "created_at[lt]": "Value | None",
        # At this or before it
        "created_at[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "created_at[null]": "bool | None",
        # An instant or a day (UTC), for example `updated_at[gte]=2020-01-01`. Also relative to today: `today`, `today+90d`, `today-30d`.
        "updated_at": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "updated_at[eq]": "Value | None",
        # Not equal to this value, or null
        "updated_at[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "updated_at[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "updated_at[nin]": "Value | Sequence[Value] | None",
        # After this
        "updated_at[gt]": "Value | None",
        # At this or after it
        "updated_at[gte]": "Value | None",
        # Before this
        "updated_at[lt]": "Value | None",
        # At this or before it
        "updated_at[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "updated_at[null]": "bool | None",
        # Searches for words. Each must begin a word of `scheme`, `product_id`, `certificate_id`. Case and accents do not matter. 1 to 5 words of at least two letters or digits.
        "q": "Value | Sequence[Value] | None",
        # At most 3 keys, separated by commas. A leading `-` reverses a key. Keys: `expected_on`, `requested_on`, `updated_at`, `created_at`, `id`. Null is the greatest value. `id` breaks ties. To read all pages while records change, sort by `id`, which never changes.
        "sort": "Value | Sequence[Value] | None",
        # Number of records on a page. Without it, an export has no limit.
        "limit": "int | None",
        # `page.next_cursor` of the previous answer, unchanged, with the same filters and sort. Not with an export.
        "cursor": "Value | None",
        # Adds `page.total`, the number of all matching records up to 100000. Not with an export.
        "count": "Literal[\"exact\"] | None",
        # Only these fields, separated by commas. `id` is always included. Default: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Adds related records under `included`, by id. Separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `country` needs countries:read, `certificate` needs certificates:read.
        "include": "Value | Sequence[Value] | None",
        # Starts a CSV file with a byte order mark, which some spreadsheets need. Only with CSV.
        "bom": "bool | None",
    },
    total=False,
)

ApprovalsItemQuery = TypedDict(
    "ApprovalsItemQuery",
    {
        # Only these fields, separated by commas. `id` is always included. Default: all fields.
        "fields": "Value | Sequence[Value] | None",
        # Adds related records under `included`, by id. Separated by commas. Not with an export. Each needs its scope: `product` needs products:read, `country` needs countries:read, `certificate` needs certificates:read.
        "include": "Value | Sequence[Value] | None",
        # Shows the approval as it was at the end of this day (UTC): a day, or `today-30d`. Not with `on` and `include`.
        "as_of": "Value | None",
    },
    total=False,
)

HistoryQuery = TypedDict(
    "HistoryQuery",
    {
        # Any of these resources, separated by commas. Each needs its scope. Default: all that the token may read.
        "resource": "Value | Sequence[Value] | None",
        # Changes at or after this instant or day (UTC). Also relative: `today-30d`. To keep a copy up to date, follow `/v1/changes` instead: a transaction that commits late has an early time.
        "since": "Value | None",
        # Number of entries on a page.
        "limit": "int | None",
        # `page.next_cursor` of the previous answer, unchanged, with the same parameters.
        "cursor": "Value | None",
    },
    total=False,
)

ChangesQuery = TypedDict(
    "ChangesQuery",
    {
        # `page.next_token` of the previous answer, unchanged. `snapshot` streams all records as lines, and the header Sync-Token has the token to continue with. Default: start now.
        "after": "Value | None",
        # The header `Last-Event-ID` of a client that can only send it in the query. Only with `Accept: text/event-stream`. The header overrides it.
        "lastEventId": "Value | Sequence[Value] | None",
        # Any of these resources, separated by commas. Each needs its scope. Default: the token's resources, or all that the key may read. A token belongs to its resources.
        "resources": "Value | Sequence[Value] | None",
        # Number of changes on a page. Not with `after=snapshot`.
        "limit": "int | None",
        # Seconds to wait for a change if there is none. The answer may arrive earlier, empty and with the same token. Not with `after=snapshot`; `HEAD` does not wait.
        "wait": "int | None",
        # Adds to each change the previous values of the fields in `changed`. Not with `after=snapshot`.
        "previous": "bool | None",
        # Fields of the records, separated by commas. Only with one resource in `resources`. They belong to the token.
        "fields": "Value | Sequence[Value] | None",
        # The filter of the list, without relative dates. Only for certificates, products, projects, countries, lab, approvals.
        "id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "id[eq]": "Value | None",
        # Not equal to this value, or null
        "id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "id[null]": "bool | None",
        # The filter of the list, without relative dates. Only for certificates.
        "number": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "number[eq]": "Value | None",
        # Not equal to this value, or null
        "number[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "number[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "number[nin]": "Value | Sequence[Value] | None",
        # Begins with this text
        "number[prefix]": "Value | None",
        # `true`: is null. `false`: is not null
        "number[null]": "bool | None",
        # The filter of the list, without relative dates. Only for certificates, lab, approvals.
        "product_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "product_id[eq]": "Value | None",
        # Not equal to this value, or null
        "product_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "product_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "product_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "product_id[null]": "bool | None",
        # The filter of the list, without relative dates. Only for certificates, lab, approvals.
        "project_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "project_id[eq]": "Value | None",
        # Not equal to this value, or null
        "project_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "project_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "project_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "project_id[null]": "bool | None",
        # The filter of the list, without relative dates. Only for certificates.
        "approval_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "approval_id[eq]": "Value | None",
        # Not equal to this value, or null
        "approval_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "approval_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "approval_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "approval_id[null]": "bool | None",
        # The filter of the list, without relative dates. Only for certificates, approvals.
        "country_code": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "country_code[eq]": "Value | None",
        # Not equal to this value, or null
        "country_code[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "country_code[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "country_code[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "country_code[null]": "bool | None",
        # The filter of the list, without relative dates. Only for certificates.
        "authority": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "authority[eq]": "Value | None",
        # Not equal to this value, or null
        "authority[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "authority[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "authority[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "authority[null]": "bool | None",
        # The filter of the list, without relative dates. Only for certificates, approvals.
        "scheme": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "scheme[eq]": "Value | None",
        # Not equal to this value, or null
        "scheme[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "scheme[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "scheme[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "scheme[null]": "bool | None",
        # The filter of the list, without relative dates. Only for certificates.
        "certificate_type": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "certificate_type[eq]": "Value | None",
        # Not equal to this value, or null
        "certificate_type[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "certificate_type[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "certificate_type[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "certificate_type[null]": "bool | None",
        # The filter of the list, without relative dates. Only for certificates.
        "approval_status": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "approval_status[eq]": "Value | None",
        # Not equal to this value, or null
        "approval_status[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "approval_status[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "approval_status[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "approval_status[null]": "bool | None",
        # The filter of the list, without relative dates. Only for certificates.
        "validity": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "validity[eq]": "Value | None",
        # Not equal to this value, or null
        "validity[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "validity[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "validity[nin]": "Value | Sequence[Value] | None",
        # The filter of the list, without relative dates. Only for certificates.
        "expiring": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "expiring[eq]": "Value | None",
        # Not equal to this value, or null
        "expiring[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "expiring[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "expiring[nin]": "Value | Sequence[Value] | None",
        # The filter of the list, without relative dates. Only for certificates.
        "valid_from": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "valid_from[eq]": "Value | None",
        # Not equal to this value, or null
        "valid_from[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "valid_from[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "valid_from[nin]": "Value | Sequence[Value] | None",
        # After this
        "valid_from[gt]": "Value | None",
        # At this or after it
        "valid_from[gte]": "Value | None",
        # Before this
        "valid_from[lt]": "Value | None",
        # At this or before it
        "valid_from[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "valid_from[null]": "bool | None",
        # The filter of the list, without relative dates. Only for certificates.
        "valid_until": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "valid_until[eq]": "Value | None",
        # Not equal to this value, or null
        "valid_until[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "valid_until[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "valid_until[nin]": "Value | Sequence[Value] | None",
        # After this
        "valid_until[gt]": "Value | None",
        # At this or after it
        "valid_until[gte]": "Value | None",
        # Before this
        "valid_until[lt]": "Value | None",
        # At this or before it
        "valid_until[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "valid_until[null]": "bool | None",
        # The filter of the list, without relative dates. Only for certificates, lab.
        "issued_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "issued_on[eq]": "Value | None",
        # Not equal to this value, or null
        "issued_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "issued_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "issued_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "issued_on[gt]": "Value | None",
        # At this or after it
        "issued_on[gte]": "Value | None",
        # Before this
        "issued_on[lt]": "Value | None",
        # At this or before it
        "issued_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "issued_on[null]": "bool | None",
        # The filter of the list, without relative dates. Only for certificates, lab.
        "standards": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "standards[eq]": "Value | None",
        # Does not contain this value
        "standards[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "standards[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "standards[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "standards[all]": "Value | Sequence[Value] | None",
        # The filter of the list, without relative dates. Only for certificates, products, projects, lab, approvals.
        "tags": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "tags[eq]": "Value | None",
        # Does not contain this value
        "tags[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "tags[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "tags[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "tags[all]": "Value | Sequence[Value] | None",
        # The filter of the list, without relative dates. Only for certificates, products, projects, lab, approvals.
        "created_at": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "created_at[eq]": "Value | None",
        # Not equal to this value, or null
        "created_at[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "created_at[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "created_at[nin]": "Value | Sequence[Value] | None",
        # After this
        "created_at[gt]": "Value | None",
        # At this or after it
        "created_at[gte]": "Value | None",
        # Before this
        "created_at[lt]": "Value | None",
        # At this or before it
        "created_at[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "created_at[null]": "bool | None",
        # The filter of the list, without relative dates. Only for certificates, products, projects, countries, lab, approvals.
        "updated_at": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "updated_at[eq]": "Value | None",
        # Not equal to this value, or null
        "updated_at[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "updated_at[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "updated_at[nin]": "Value | Sequence[Value] | None",
        # After this
        "updated_at[gt]": "Value | None",
        # At this or after it
        "updated_at[gte]": "Value | None",
        # Before this
        "updated_at[lt]": "Value | None",
        # At this or before it
        "updated_at[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "updated_at[null]": "bool | None",
        # The filter of the list, without relative dates. Only for products, countries.
        "name": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "name[eq]": "Value | None",
        # Not equal to this value, or null
        "name[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "name[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "name[nin]": "Value | Sequence[Value] | None",
        # Begins with this text
        "name[prefix]": "Value | None",
        # `true`: is null. `false`: is not null
        "name[null]": "bool | None",
        # The filter of the list, without relative dates. Only for products.
        "part_numbers": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "part_numbers[eq]": "Value | None",
        # Does not contain this value
        "part_numbers[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "part_numbers[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "part_numbers[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "part_numbers[all]": "Value | Sequence[Value] | None",
        # The filter of the list, without relative dates. Only for products.
        "model": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "model[eq]": "Value | None",
        # Not equal to this value, or null
        "model[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "model[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "model[nin]": "Value | Sequence[Value] | None",
        # Begins with this text
        "model[prefix]": "Value | None",
        # `true`: is null. `false`: is not null
        "model[null]": "bool | None",
        # The filter of the list, without relative dates. Only for products.
        "brand": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "brand[eq]": "Value | None",
        # Not equal to this value, or null
        "brand[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "brand[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "brand[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "brand[null]": "bool | None",
        # The filter of the list, without relative dates. Only for products.
        "product_status": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "product_status[eq]": "Value | None",
        # Not equal to this value, or null
        "product_status[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "product_status[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "product_status[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "product_status[null]": "bool | None",
        # The filter of the list, without relative dates. Only for products.
        "category": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "category[eq]": "Value | None",
        # Not equal to this value, or null
        "category[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "category[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "category[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "category[null]": "bool | None",
        # The filter of the list, without relative dates. Only for products.
        "technologies": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "technologies[eq]": "Value | None",
        # Does not contain this value
        "technologies[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "technologies[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "technologies[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "technologies[all]": "Value | Sequence[Value] | None",
        # The filter of the list, without relative dates. Only for products.
        "parent_product_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "parent_product_id[eq]": "Value | None",
        # Not equal to this value, or null
        "parent_product_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "parent_product_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "parent_product_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "parent_product_id[null]": "bool | None",
        # The filter of the list, without relative dates. Only for projects.
        "project_number": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "project_number[eq]": "Value | None",
        # Not equal to this value, or null
        "project_number[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "project_number[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "project_number[nin]": "Value | Sequence[Value] | None",
        # Begins with this text
        "project_number[prefix]": "Value | None",
        # `true`: is null. `false`: is not null
        "project_number[null]": "bool | None",
        # The filter of the list, without relative dates. Only for projects.
        "customer_reference": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "customer_reference[eq]": "Value | None",
        # Not equal to this value, or null
        "customer_reference[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "customer_reference[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "customer_reference[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "customer_reference[null]": "bool | None",
        # The filter of the list, without relative dates. Only for projects, lab, approvals.
        "status": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "status[eq]": "Value | None",
        # Not equal to this value, or null
        "status[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "status[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "status[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "status[null]": "bool | None",
        # The filter of the list, without relative dates. Only for projects.
        "classification": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "classification[eq]": "Value | None",
        # Not equal to this value, or null
        "classification[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "classification[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "classification[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "classification[null]": "bool | None",
        # The filter of the list, without relative dates. Only for projects.
        "product_ids": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "product_ids[eq]": "Value | None",
        # Does not contain this value
        "product_ids[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "product_ids[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "product_ids[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "product_ids[all]": "Value | Sequence[Value] | None",
        # The filter of the list, without relative dates. Only for projects.
        "country_codes": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "country_codes[eq]": "Value | None",
        # Does not contain this value
        "country_codes[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "country_codes[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "country_codes[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "country_codes[all]": "Value | Sequence[Value] | None",
        # The filter of the list, without relative dates. Only for projects.
        "ordered_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "ordered_on[eq]": "Value | None",
        # Not equal to this value, or null
        "ordered_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "ordered_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "ordered_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "ordered_on[gt]": "Value | None",
        # At this or after it
        "ordered_on[gte]": "Value | None",
        # Before this
        "ordered_on[lt]": "Value | None",
        # At this or before it
        "ordered_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "ordered_on[null]": "bool | None",
        # The filter of the list, without relative dates. Only for projects.
        "due_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "due_on[eq]": "Value | None",
        # Not equal to this value, or null
        "due_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "due_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "due_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "due_on[gt]": "Value | None",
        # At this or after it
        "due_on[gte]": "Value | None",
        # Before this
        "due_on[lt]": "Value | None",
        # At this or before it
        "due_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "due_on[null]": "bool | None",
        # The filter of the list, without relative dates. Only for projects.
        "completed_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "completed_on[eq]": "Value | None",
        # Not equal to this value, or null
        "completed_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "completed_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "completed_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "completed_on[gt]": "Value | None",
        # At this or after it
        "completed_on[gte]": "Value | None",
        # Before this
        "completed_on[lt]": "Value | None",
        # At this or before it
        "completed_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "completed_on[null]": "bool | None",
        # The filter of the list, without relative dates. Only for countries.
        "code": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "code[eq]": "Value | None",
        # Not equal to this value, or null
        "code[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "code[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "code[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "code[null]": "bool | None",
        # The filter of the list, without relative dates. Only for countries.
        "alpha3": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "alpha3[eq]": "Value | None",
        # Not equal to this value, or null
        "alpha3[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "alpha3[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "alpha3[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "alpha3[null]": "bool | None",
        # The filter of the list, without relative dates. Only for countries.
        "region": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "region[eq]": "Value | None",
        # Not equal to this value, or null
        "region[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "region[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "region[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "region[null]": "bool | None",
        # The filter of the list, without relative dates. Only for countries.
        "blocs": "Value | Sequence[Value] | None",
        # Contains this value, commas included
        "blocs[eq]": "Value | None",
        # Does not contain this value
        "blocs[ne]": "Value | None",
        # Contains any of these values. The same as the name alone
        "blocs[in]": "Value | Sequence[Value] | None",
        # Contains none of these values
        "blocs[nin]": "Value | Sequence[Value] | None",
        # Contains all of these values
        "blocs[all]": "Value | Sequence[Value] | None",
        # The filter of the list, without relative dates. Only for lab.
        "report_number": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "report_number[eq]": "Value | None",
        # Not equal to this value, or null
        "report_number[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "report_number[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "report_number[nin]": "Value | Sequence[Value] | None",
        # Begins with this text
        "report_number[prefix]": "Value | None",
        # `true`: is null. `false`: is not null
        "report_number[null]": "bool | None",
        # The filter of the list, without relative dates. Only for lab.
        "test_type": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "test_type[eq]": "Value | None",
        # Not equal to this value, or null
        "test_type[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "test_type[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "test_type[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "test_type[null]": "bool | None",
        # The filter of the list, without relative dates. Only for lab.
        "result": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "result[eq]": "Value | None",
        # Not equal to this value, or null
        "result[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "result[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "result[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "result[null]": "bool | None",
        # The filter of the list, without relative dates. Only for lab.
        "laboratory": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "laboratory[eq]": "Value | None",
        # Not equal to this value, or null
        "laboratory[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "laboratory[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "laboratory[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "laboratory[null]": "bool | None",
        # The filter of the list, without relative dates. Only for lab, approvals.
        "certificate_id": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "certificate_id[eq]": "Value | None",
        # Not equal to this value, or null
        "certificate_id[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "certificate_id[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "certificate_id[nin]": "Value | Sequence[Value] | None",
        # `true`: is null. `false`: is not null
        "certificate_id[null]": "bool | None",
        # The filter of the list, without relative dates. Only for approvals.
        "open": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "open[eq]": "Value | None",
        # Not equal to this value, or null
        "open[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "open[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "open[nin]": "Value | Sequence[Value] | None",
        # The filter of the list, without relative dates. Only for approvals.
        "requested_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "requested_on[eq]": "Value | None",
        # Not equal to this value, or null
        "requested_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "requested_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "requested_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "requested_on[gt]": "Value | None",
        # At this or after it
        "requested_on[gte]": "Value | None",
        # Before this
        "requested_on[lt]": "Value | None",
        # At this or before it
        "requested_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "requested_on[null]": "bool | None",
        # The filter of the list, without relative dates. Only for approvals.
        "submitted_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "submitted_on[eq]": "Value | None",
        # Not equal to this value, or null
        "submitted_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "submitted_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "submitted_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "submitted_on[gt]": "Value | None",
        # At this or after it
        "submitted_on[gte]": "Value | None",
        # Before this
        "submitted_on[lt]": "Value | None",
        # At this or before it
        "submitted_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "submitted_on[null]": "bool | None",
        # The filter of the list, without relative dates. Only for approvals.
        "decided_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "decided_on[eq]": "Value | None",
        # Not equal to this value, or null
        "decided_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "decided_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "decided_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "decided_on[gt]": "Value | None",
        # At this or after it
        "decided_on[gte]": "Value | None",
        # Before this
        "decided_on[lt]": "Value | None",
        # At this or before it
        "decided_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "decided_on[null]": "bool | None",
        # The filter of the list, without relative dates. Only for approvals.
        "expected_on": "Value | Sequence[Value] | None",
        # Equal to this value, commas included
        "expected_on[eq]": "Value | None",
        # Not equal to this value, or null
        "expected_on[ne]": "Value | None",
        # Equal to any of these values. The same as the name alone
        "expected_on[in]": "Value | Sequence[Value] | None",
        # Equal to none of these values, or null
        "expected_on[nin]": "Value | Sequence[Value] | None",
        # After this
        "expected_on[gt]": "Value | None",
        # At this or after it
        "expected_on[gte]": "Value | None",
        # Before this
        "expected_on[lt]": "Value | None",
        # At this or before it
        "expected_on[lte]": "Value | None",
        # `true`: is null. `false`: is not null
        "expected_on[null]": "bool | None",
    },
    total=False,
)

AuditQuery = TypedDict(
    "AuditQuery",
    {
        # At or after this instant or day (UTC). Also relative: `today-30d`.
        "since": "Value | None",
        # Before this instant or day (UTC). Also relative to today.
        "until": "Value | None",
        # Any of these actions, separated by commas.
        "action": "Value | Sequence[Value] | None",
        # Any of these API keys, by id, separated by commas.
        "key": "Value | Sequence[Value] | None",
        # `ok` or `refused`.
        "outcome": "Value | Sequence[Value] | None",
        # Entries after this number. To continue, send the number of your newest entry.
        "after": "Value | None",
        # Number of rows on a page. Without it, an export has no limit.
        "limit": "int | None",
        # `page.next_cursor` of the previous answer, unchanged, with the same filters. Not with an export.
        "cursor": "Value | None",
    },
    total=False,
)

MeKeysQuery = TypedDict(
    "MeKeysQuery",
    {
    },
    total=False,
)

MeUsageQuery = TypedDict(
    "MeUsageQuery",
    {
    },
    total=False,
)

MeWebhooksQuery = TypedDict(
    "MeWebhooksQuery",
    {
    },
    total=False,
)

