/** @typedef {Record<string, any>} Row */

/** Names of included records; the id where a record is not included. @param {any[]} bodies */
export const namesOf = (bodies) => {
  const included = bodies.map(({ included = {} }) => included)
  const name = (/** @type {string} */ kind, /** @type {string | null} */ id) =>
    id === null ? '' : (included.map((each) => each[kind]?.[id]?.name).find((each) => each) ?? id)
  return {
    product: (/** @type {Row} */ row) => name('products', row.product_id),
    country: (/** @type {Row} */ row) => name('countries', row.country_code),
  }
}

/** @param {string | null} state such as `in_review` */
export const toWords = (state) => (state ?? '').replaceAll('_', ' ')
