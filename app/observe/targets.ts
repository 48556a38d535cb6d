/** The promises to customers, and our stricter `objective`. */
export const targets = {
  availability: { promised: 0.99, objective: 0.999 },
  latency: { average_ms: 80 },
  freshness: { max_age_ms: 600 },
} as const
