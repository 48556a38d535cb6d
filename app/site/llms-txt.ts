import type { GuideGroup } from './guides.ts'

/** Returns `/llms.txt` (llmstxt.org), which leads programs to the guides as Markdown. */
export const llmsTxt = (groups: readonly GuideGroup[], publicUrl: string): string => {
  const lists = groups.map(({ title, guides }) => {
    const lines = guides.map((guide) => `- [${guide.title}](${publicUrl}${guide.path}.md): ${guide.summary}`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  return `# Certification Data API

> A read-only JSON API. Customers of a certification house read their certificates, products, projects, country
> approvals and laboratory reports. Every answer holds all changes committed more than 600 ms before the request.

The address of the service is ${publicUrl}. Every guide below has the address of its page plus \`.md\`.

## Reference

- [OpenAPI 3.1 document](${publicUrl}/openapi.json): Every endpoint, filter, header and error.
- [Errors](${publicUrl}/problems): What each error means and what to do about it.

${lists.join('\n')}`
}
