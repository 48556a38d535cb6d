# Generated from the OpenAPI document by `npm run client:types`; not to be edited.
"""The resources of both clients."""

from __future__ import annotations

from . import types
from .async_resource import AsyncResource
from .resource import Resource

RESOURCES = (
    "certificates",
    "products",
    "projects",
    "countries",
    "lab",
    "approvals",
)


class Resources:
    """The resources of `Client`."""

    certificates: Resource[
        types.Certificate,
        types.CertificatePage,
        types.CertificateAnswer,
        types.CertificatesQuery,
        types.CertificatesItemQuery,
    ]
    products: Resource[
        types.Product,
        types.ProductPage,
        types.ProductAnswer,
        types.ProductsQuery,
        types.ProductsItemQuery,
    ]
    projects: Resource[
        types.Project,
        types.ProjectPage,
        types.ProjectAnswer,
        types.ProjectsQuery,
        types.ProjectsItemQuery,
    ]
    countries: Resource[
        types.Country,
        types.CountryPage,
        types.CountryAnswer,
        types.CountriesQuery,
        types.CountriesItemQuery,
    ]
    lab: Resource[
        types.LabReport,
        types.LabReportPage,
        types.LabReportAnswer,
        types.LabQuery,
        types.LabItemQuery,
    ]
    approvals: Resource[
        types.Approval,
        types.ApprovalPage,
        types.ApprovalAnswer,
        types.ApprovalsQuery,
        types.ApprovalsItemQuery,
    ]


class AsyncResources:
    """The resources of `AsyncClient`."""

    certificates: AsyncResource[
        types.Certificate,
        types.CertificatePage,
        types.CertificateAnswer,
        types.CertificatesQuery,
        types.CertificatesItemQuery,
    ]
    products: AsyncResource[
        types.Product,
        types.ProductPage,
        types.ProductAnswer,
        types.ProductsQuery,
        types.ProductsItemQuery,
    ]
    projects: AsyncResource[
        types.Project,
        types.ProjectPage,
        types.ProjectAnswer,
        types.ProjectsQuery,
        types.ProjectsItemQuery,
    ]
    countries: AsyncResource[
        types.Country,
        types.CountryPage,
        types.CountryAnswer,
        types.CountriesQuery,
        types.CountriesItemQuery,
    ]
    lab: AsyncResource[
        types.LabReport,
        types.LabReportPage,
        types.LabReportAnswer,
        types.LabQuery,
        types.LabItemQuery,
    ]
    approvals: AsyncResource[
        types.Approval,
        types.ApprovalPage,
        types.ApprovalAnswer,
        types.ApprovalsQuery,
        types.ApprovalsItemQuery,
    ]
