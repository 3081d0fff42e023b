/// The page's script. It is for convenience only: it sorts and searches tables and zooms drawings,
/// with controls that it adds itself, so that there are none where it does not run.
enum PageScript {
  static let source = """
    /*<![CDATA[*/
    'use strict';
    function make(tag, parent, text) {
      const element = document.createElement(tag);
      if (text) element.textContent = text;
      parent.append(element);
      return element;
    }
    function value(row, column, isNumber) {
      const cell = row.cells[column];
      const text = cell ? cell.textContent.trim() : '';
      if (!isNumber) return text.toLowerCase();
      const number = parseFloat(text.replaceAll(',', ''));
      return Number.isNaN(number) ? -Infinity : number;
    }
    function sort(table, header, column) {
      const up = header.getAttribute('aria-sort') !== 'ascending';
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      header.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      const isNumber = table.classList.contains('number-' + (column + 1));
      const rows = Array.from(table.tBodies[0].rows, row => ({ row, key: value(row, column, isNumber) }));
      rows.sort((a, b) => (a.key > b.key ? 1 : b.key > a.key ? -1 : 0) * (up ? 1 : -1));
      table.tBodies[0].append(...rows.map(entry => entry.row));
    }
    for (const table of document.querySelectorAll('table.sortable')) {
      Array.from(table.tHead.rows[0].cells).forEach((header, column) => {
        const name = header.textContent;
        header.textContent = '';
        const button = make('button', header, name);
        button.type = 'button';
        button.addEventListener('click', () => sort(table, header, column));
      });
    }
    for (const table of document.querySelectorAll('table.searchable')) {
      const tools = document.createElement('div');
      tools.className = 'tools';
      const label = make('label', tools, 'Search the table ');
      const field = make('input', label);
      field.type = 'search';
      const status = make('span', tools);
      status.setAttribute('role', 'status');
      const rows = Array.from(table.tBodies[0].rows, row => ({
        row, text: row.textContent.toLowerCase() }));
      field.addEventListener('input', () => {
        const words = field.value.toLowerCase().split(' ').filter(word => word);
        let count = 0;
        for (const entry of rows) {
          const isFound = words.every(word => entry.text.includes(word));
          entry.row.hidden = !isFound;
          if (isFound) count += 1;
        }
        status.textContent = words.length ? count + ' of ' + rows.length + ' rows' : '';
      });
      table.parentElement.before(tools);
    }
    for (const drawing of document.querySelectorAll('.drawing')) {
      const picture = drawing.querySelector('svg');
      const size = [picture.width.baseVal.value, picture.height.baseVal.value];
      let zoom = 1;
      function show(next) {
        zoom = Math.min(8, Math.max(0.05, next));
        picture.setAttribute('width', size[0] * zoom);
        picture.setAttribute('height', size[1] * zoom);
      }
      const tools = document.createElement('div');
      tools.className = 'tools';
      const steps = [
        ['Zoom in', () => show(zoom * 1.25)], ['Zoom out', () => show(zoom / 1.25)],
        ['Whole drawing', () => show(Math.min(
          (drawing.clientWidth - 18) / size[0], window.innerHeight * 0.78 / size[1]))],
        ['Original size', () => show(1)]];
      for (const [name, action] of steps) {
        const button = make('button', tools, name);
        button.type = 'button';
        button.addEventListener('click', action);
      }
      drawing.before(tools);
    }
    /*]]>*/
    """
}
