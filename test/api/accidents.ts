/** Values that a faulty client sends by accident. */
export const accidents = [
  'undefined',
  'null',
  'NaN',
  '[object Object]',
  '{"prefix":"x"}',
  '["x"]',
  '[]',
  '<string>',
  '{{brand}}',
  '',
]
