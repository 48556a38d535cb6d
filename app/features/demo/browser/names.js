/** @typedef {Record<string, any>} Row */

/** Reads names from `included`. A record that is not included has its id as name. @param {any[]} bodies */
export const collectNames = (bodies) => {
  const included = bodies.map(({ included = {} }) => included)
  const name = (/** @type {string} */ kind, /** @type {string | null} */ id) =>
    id === null ? '' : (included.map((each) => each[kind]?.[id]?.name).find((each) => each) ?? id)
  return {
    product: (/** @type {Row} */ row) => name('products', row.product_id),
    country: (/** @type {Row} */ row) => name('countries', row.country_code),
    /** @param {Row} row @returns {string[]} */
    requiredSchemes: (row) =>
      included
        .map((each) => each.countries?.[row.country_code]?.requirements?.schemes)
        .find((each) => each) ?? [],
  }
}

/** @param {string | null} state such as `in_review` */
export const toWords = (state) => (state ?? '').replaceAll('_', ' ')
