import Foundation
import ModelReport
import TestSupport
import Testing
import Weighbridge

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// A parsed report: the page is well-formed XML, so that text of the model cannot be taken
/// for markup.
struct Page {
  let text: String
  private let document: XMLDocument

  init(_ text: String) throws {
    self.text = text
    document = try XMLDocument(data: Data(text.utf8), options: .nodePreserveWhitespace)
  }

  init(
    _ models: [ReportedModel], _ change: (inout ReportOptions) -> Void = { _ in }
  ) throws {
    var options = ReportOptions()
    change(&options)
    try self.init(try Report(models, options: options).html())
  }

  /// The nodes that match an XPath.
  func nodes(_ path: String) throws -> [XMLNode] { try document.nodes(forXPath: path) }

  /// The names of the matching nodes.
  func names(_ path: String) throws -> Set<String> { Set(try nodes(path).compactMap(\.name)) }

  /// The trimmed texts of the matching nodes.
  func texts(_ path: String) throws -> [String] {
    try nodes(path).map {
      ($0.stringValue ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  /// The text of a section with spaces instead of line breaks.
  func section(_ id: String) throws -> String {
    let texts = try texts("//section[@id='\(id)']")
    try #require(texts.count == 1, "\(texts.count) sections \(id)")
    return texts[0].split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// The cells of a section's tables, row by row, without the headers.
  func rows(_ section: String, table: Int = 1) throws -> [[String]] {
    let rows = try nodes("(//section[@id='\(section)']//table)[\(table)]/tbody/tr")
    return rows.map { row in
      (row.children ?? []).filter { ["td", "th"].contains($0.name) }.map { $0.stringValue ?? "" }
    }
  }
}

/// The models in the reports of these tests.
enum Sample {
  static let detector = Paths.sample("Models/shape-detector/shape-detector.h5")

  static func file(_ name: String) -> String { Paths.sample("Models/shape-detector/\(name)") }

  /// The trained shape detector with a full description and Keras' outputs of its layers.
  static func described() throws -> Model {
    var model = try Model(contentsOf: detector)
    var edit = DescriptionEdit()
    edit.author = "The Weighbridge authors"
    edit.license = "Apache-2.0"
    edit.summary = "Finds shapes"
    edit.inputNames = [.init(old: nil, new: "picture")]
    var image = DescriptionEdit.Image(input: "picture")
    image.scale = 1.0 / 255
    edit.images = [image]
    edit.labels = try LabelFile.read(file("labels.names"))
    edit.detector = .init(kind: .region, anchors: [2.85, 2.46, 2.96, 4.61, 4.96, 4.19])
    try model.describe(edit)
    try model.addReferences(
      inputs: ArrayFile.read(file("input.npy")), outputs: ArrayFile.read(file("layers.npz")),
      author: "keras 2.1.5")
    return model
  }
}
