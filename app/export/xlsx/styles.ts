/** Cell formats by their position in `xl/styles.xml`. */
export const styles = { general: 0, date: 1, instant: 2, text: 3, header: 4 } as const

const [dateFormat, instantFormat] = [164, 165]
/** `@`: a text stays a text when a person edits it. */
const textFormat = 49

const format = (number: number, font = 0) =>
  `<xf numFmtId="${number}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"${
    font === 0 ? '' : ' applyFont="1"'
  }/>`

export const stylesXml = `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">\
<numFmts count="2"><numFmt numFmtId="${dateFormat}" formatCode="yyyy\\-mm\\-dd"/>\
<numFmt numFmtId="${instantFormat}" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>\
<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>\
<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>\
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>\
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>\
<cellXfs count="5">${format(0)}${format(dateFormat)}${format(instantFormat)}${format(textFormat)}${format(textFormat, 1)}</cellXfs>\
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
