import type { ResourceName } from '../../app/records/resources/define.ts'

export type Question = {
  about: string
  resource?: ResourceName
  query: string
  /** Goal for a customer with a million certificates, in milliseconds of the database. */
  mostMs?: number
}

const repeat = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`).join()

/** Almost every record meets each condition. */
const wide = [
  'number[prefix]=N-&product_id[null]=false&country_code[nin]=XX,YY&authority[nin]=Q&scheme[nin]=Q',
  'certificate_type[nin]=other&approval_status[nin]=withdrawn&validity[nin]=void&expiring[nin]=true',
  'valid_from[gte]=2000-01-01&valid_from[lte]=2099-01-01&valid_until[gte]=2000-01-01&valid_until[lte]=2099-01-01',
  'issued_on[gte]=2000-01-01&issued_on[lte]=2099-01-01&tags[nin]=x,y&standards[nin]=x,y',
  'updated_at[gte]=2000-01-01&updated_at[lte]=2099-01-01&created_at[gte]=2000-01-01&created_at[lte]=2099-01-01',
  'id[nin]=x&tags[all]=common&valid_from[gt]=1999-01-01&valid_until[gt]=1999-01-01&tags=common,q',
  'authority=BNetzA&country_code[null]=false&count=exact',
].join('&')
const five = 'q=radio module acme wireless gmbh'

/** Words: see `seed.ts`. */
export const questions: readonly Question[] = [
  { about: 'a page', query: '' },
  { about: 'q: a word of all', query: 'q=radio', mostMs: 100 },
  { about: 'q: a word of a tenth', query: 'q=tenth', mostMs: 100 },
  { about: 'q: a word of one', query: 'q=singular', mostMs: 100 },
  { about: 'q: two words, each of half', query: 'q=even left', mostMs: 100 },
  { about: 'q: two words, each of half, none with both', query: 'q=even odd', mostMs: 100 },
  { about: 'q: a word of the oldest tenth, newest first', query: 'q=early' },
  { about: 'q: a word of all, and a rare tag', query: 'q=radio&tags=t777' },
  {
    about: 'q: five words, three filters, count',
    query: `${five}&authority=BNetzA&validity=valid&tags=common&count=exact`,
  },
  {
    about: 'q: the same, no match',
    query: `${five}&authority=Nobody&validity=valid&tags=common&count=exact`,
  },
  { about: '30 conditions with q, all match', query: `${wide}&q=radio` },
  { about: '29 conditions, all match', query: wide },
  { about: 'count=exact', query: 'count=exact' },
  { about: 'count=exact, valid certificates', query: 'count=exact&validity=valid' },
  {
    about: 'count=exact, expiring, oldest first',
    query: 'count=exact&expiring=true&expiring_within=365&sort=created_at',
  },
  { about: 'not one of 200 ids', query: `id[nin]=${repeat(200, 'c')}&count=exact` },
  { about: 'not one of 200 tags', query: `tags[nin]=${repeat(200, 't')}&count=exact` },
  { about: 'not a tag of all', query: 'tags[nin]=common&count=exact' },
  { about: 'one of 200 tags', query: `tags=${repeat(200, 't')}&count=exact` },
  { about: 'all of 200 tags', query: `tags[all]=${repeat(200, 't')}&count=exact` },
  { about: 'all of 8 tags', query: `tags[all]=common,${repeat(7, 't')}` },
  { about: 'a tag of all', query: 'tags=common&sort=number&count=exact' },
  {
    about: 'a prefix of all, no match of another filter',
    query: 'number[prefix]=N-&sort=valid_until&authority=Nobody',
  },
  {
    about: 'filters without an index, no match, count',
    query: 'authority=Nobody&scheme=Nothing&count=exact',
  },
  { about: 'three sorts with ties', query: 'sort=-issued_on,valid_until,-number' },
  {
    about: 'ranges that match all, count',
    query:
      'valid_from[gte]=2000-01-01&valid_until[gte]=2000-01-01&issued_on[gte]=2000-01-01&sort=-number&count=exact',
  },
  { about: 'valid on another day', query: 'on=2050-01-01&validity=valid&count=exact' },
  { about: '500 with product, project and country', query: 'limit=500&include=product,project,country' },
  { about: 'all countries with approval_info', resource: 'countries', query: 'limit=500' },
]
