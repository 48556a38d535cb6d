// The stored words were made by the same rules in the database (`fold_words` in `04-words.sql`): a change here
// needs a migration that recomputes them.

/** Code points above U+007F, in hexadecimal, that are letters, digits or marks after NFKD. */
export const letters = `
c6-d0 d8-f0 f8-2c1 2c6-2d1 2ec 2ee 300-373 376-3f3 3f7-481 483-559 560-588 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7-5f2
610-61a 620-669 66e-6d2 6d5-6dc 6df-6e8 6ea-6fc 6ff 710-7f5 7fa-7fd 800-82d 840-85b 860-887 889-88f 897-8e1 8e3-963
966-96f 971-9f1 9fc 9fe-a75 a81-aef af9-b6f b71 b82-bef c00-c6f c80-c83 c85-d4e d54-d57 d5f-d6f d7a-df3 e01-e3a
e40-e4e e50-e59 e81-f00 f18-f19 f20-f29 f35 f37 f39 f3e-f84 f86-fbc fc6 1000-1049 1050-109d 10a0-10fa 10fd-135f
1380-138f 13a0-13fd 1401-166c 166f-167f 1681-169a 16a0-16ea 16f1-1734 1740-17d3 17d7 17dc-17e9 180b-180d 180f-193b
1946-19d9 1a00-1a1b 1a20-1a99 1aa7 1ab0-1b4c 1b50-1b59 1b6b-1b73 1b80-1bf3 1c00-1c37 1c40-1c7d 1c80-1cbf 1cd0-1cd2
1cd4-1eff 20d0-20f0 2132 214e 2183-2184 2c00-2ce4 2ceb-2cf3 2d00-2d67 2d7f-2dff 2e2f 3005-3006 302a-302f 3031-3035
303b-303c 3041-309d 30a1-30f6 30fc-312f 31a0-31bf 31f0-31ff 3400-4dbf 4e00-a48c a4d0-a4fd a500-a60c a610-a672
a674-a67d a67f-a6e5 a6f0-a6f1 a717-a71f a722-a788 a78b-a827 a82c a840-a873 a880-a8c5 a8d0-a8f7 a8fb a8fd-a92d
a930-a953 a960-a9c0 a9cf-a9d9 a9e0-aa59 aa60-aa76 aa7a-aadd aae0-aaef aaf2-ab5a ab60-ab68 ab70-abea abec-d7fb
fa0e-fb1e fe00-fe2f fe73 10000-100fa 101fd-102e0 10300-1031f 1032d-10340 10342-10349 10350-1039d 103a0-103cf
10400-10563 10570-10855 10860-10876 10880-1089e 108e0-108f5 10900-10915 10920-10939 10940-109b7 109be-109bf
10a00-10a3f 10a60-10a7c 10a80-10a9c 10ac0-10ac7 10ac9-10ae6 10b00-10b35 10b40-10b55 10b60-10b72 10b80-10b91
10c00-10cf2 10d00-10d6d 10d6f-10d85 10e80-10eac 10eb0-10ec7 10efa-10f1c 10f27-10f50 10f70-10f85 10fb0-10fc4
10fe0-11046 11066-110ba 110c2 110d0-1113f 11144-11173 11176-111c4 111c9-111cc 111ce-111da 111dc 11200-11237
1123e-112a8 112b0-113d3 113e1-1144a 11450-11459 1145e-114c5 114c7-115c0 115d8-11640 11644-11659 11680-116b8
116c0-11739 11740-1183a 118a0-118e9 118ff-11943 11950-119e1 119e3-11a3e 11a47-11a99 11a9d 11ab0-11af8 11b60-11be0
11bf0-11c40 11c50-11c59 11c72-11ef6 11f00-11f42 11f50-11fb0 12000-12399 12480-12ff0 13000-1342f 13440-16a69
16a70-16af4 16b00-16b36 16b40-16b43 16b50-16b59 16b63-16d6c 16d70-16e7f 16ea0-16fe1 16fe3-16ff3 17000-1bc99
1bc9d-1bc9e 1cf00-1cf46 1d165-1d169 1d16d-1d172 1d17b-1d182 1d185-1d18b 1d1aa-1d1ad 1d242-1d244 1da00-1da36
1da3b-1da6c 1da75 1da84 1da9b-1e14e 1e290-1e2f9 1e4d0-1e5fa 1e6c0-1e8c4 1e8d0-1e959 20000-33479 e0100-e01ef`

/** Marks above or below a letter, without the vowel signs of some scripts. */
export const accents =
  '300-36f 483-487 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 610-61a 64b-65f 670 1ab0-1aff 1dc0-1dff 20d0-20f0 fe20-fe2f'

/** Letters that NFKD does not decompose, and their usual spelling on keyboards without them. */
export const spellings: Readonly<Record<string, string>> = {
  ς: 'σ',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}

/** In characters. Triggers cut stored words to this length, and `q` refuses longer ones. */
export const longestWord = 100
