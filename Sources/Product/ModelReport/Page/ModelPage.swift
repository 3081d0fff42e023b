import GraphIR
import Weighbridge

/// The content of the page for one model, section by section.
struct ModelPage {
  let facts: ModelFacts
  /// The prefix of the ids of this model's elements.
  let prefix: String
  private let wording: @Sendable (String) -> String

  var inspection: Inspection { facts.inspection }
  var name: String { facts.source.name }
  var metadata: ModelDescription { inspection.description }

  init(_ facts: ModelFacts, prefix: String, wording: @escaping @Sendable (String) -> String) {
    self.facts = facts
    self.prefix = prefix
    let (path, name) = (facts.inspection.path, facts.source.name)
    // A page that is sent to others must not reveal its author's folders.
    self.wording = { sentence in
      wording(
        path.isEmpty
          ? sentence
          : sentence.split(separator: path, omittingEmptySubsequences: false)
            .joined(separator: name))
    }
  }

  /// Returns a sentence that names the reader's options or controls instead of the library's API;
  /// options are not broken across lines.
  func reworded(_ sentence: String, limit: Int = 4000) -> HTML {
    let text = wording(sentence)
    guard text.contains("--") else { return HTML(escaping: text, limit: limit) }
    let words = text.prefix(limit).split(separator: " ", omittingEmptySubsequences: false)
    let parts = words.enumerated().map { index, word -> HTML in
      let space = index == 0 ? "" : " "
      return word.contains("--")
        ? "\(space)<code>\(String(word))</code>" : "\(space)\(String(word))"
    }
    return "\(parts)"
  }

  /// Returns the notice for something that is missing.
  func missing(_ sentence: String) -> HTML { "<p class=\"missing\">\(reworded(sentence))</p>\n" }

  /// Returns a list of terms, without those whose value is unknown.
  func terms(_ pairs: [(String, HTML?)]) -> HTML {
    let items = pairs.compactMap { term, value -> HTML? in
      value.map { "<dt>\(HTML(escaping: term, limit: 200))</dt><dd>\($0)</dd>\n" }
    }
    return items.isEmpty ? "" : "<dl>\(items)</dl>\n"
  }

  func heading(_ level: Int, _ text: HTML) -> HTML { "<h\(level)>\(text)</h\(level)>\n" }

  /// Returns the header with the file and its size.
  func header(level: Int) -> HTML {
    var sizes = [inspection.format, "\(inspection.fileSize.grouped) bytes"]
    if !inspection.layers.isEmpty {
      let noun = inspection.problem == nil ? "node" : "layer"
      sizes.append(Self.counted(inspection.layers.count, noun))
    }
    sizes.append(Self.counted(inspection.parameterCount, "parameter"))
    let summary =
      metadata.summary.map { text -> HTML in "<p>\(HTML(escaping: text, limit: 600))</p>" } ?? ""
    return """
      \(heading(level, HTML(escaping: name, limit: 200)))<p class="soft">\(sizes.joined(separator: " \u{00B7} "))</p>
      \(summary)
      """
  }

  static func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(count.grouped) \(count == 1 ? noun : plural ?? noun + "s")"
  }
}
