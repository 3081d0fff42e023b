import Bytes
import DetectorRecord
import Foundation
import Testing

@testable import WBMFormat

/// The numbers of enumerations, compared with those of `Schemas/wbm.proto`.
@Suite struct SchemaEnumerationTests {
  /// The enumerators of the schema from a number on, with their numbers.
  private static func enumerators(
    of prefix: String, from first: UInt32
  ) throws -> [String: UInt32] {
    let folder = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let text = try String(contentsOfFile: "\(folder)/Schemas/wbm.proto", encoding: .utf8)
    return text.split(separator: "\n").reduce(into: [:]) { numbers, line in
      let parts = line.split { " =;".contains($0) }
      guard parts.count == 2, parts[0].hasPrefix("\(prefix)_"), let number = UInt32(parts[1]),
        number >= first
      else { return }
      numbers[String(parts[0].dropFirst(prefix.count + 1))] = number
    }
  }

  /// The name in the schema: `CENTER_CROP` for `centerCrop`.
  private static func schemaName(_ value: some Any) -> String {
    "\(value)".replacing("YOLO", with: "Yolo").replacing("distance", with: "diou").map {
      $0.isUppercase ? "_\($0)" : $0.uppercased()
    }
    .joined()
  }

  private func check<Value: SchemaEnumeration>(_ type: Value.Type, _ prefix: String) throws {
    let pairs = Value.allCases.map { (Self.schemaName($0), $0.schemaNumber) }
    for value in Value.allCases {
      #expect(try Value(schemaNumber: value.schemaNumber, prefix) == value)
    }
    let actual = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    let expected = try Self.enumerators(of: prefix, from: Value.firstNumber)
    #expect(!expected.isEmpty && actual == expected, "\(prefix)")
  }

  @Test("Every enumeration has the schema's names and numbers, and no others")
  func numbers() throws {
    try check(ElementType.self, "ELEMENT_TYPE")
    try check(WBMCompaction.Answers.Kind.self, "ANSWER_KIND")
    try check(WBMQuantization.Node.Method.self, "RANGE_METHOD")
    try check(WBMTolerance.Source.self, "TOLERANCE_SOURCE")
    try check(WBMImage.ColorOrder.self, "COLOR_ORDER")
    try check(WBMImage.ResizePolicy.self, "RESIZE_POLICY")
    try check(WBMImage.Layout.self, "DATA_LAYOUT")
    try check(DetectorDescription.Kind.self, "DETECTOR_KIND")
    try check(DetectorDescription.AnchorUnit.self, "ANCHOR_UNIT")
    try check(DetectorDescription.BoxEncoding.self, "BOX_ENCODING")
    try check(DetectorDescription.Suppression.self, "SUPPRESSION_KIND")
    try check(DetectorDescription.Part.self, "DETECTOR_PART")
    try check(DetectorDescription.Order.self, "HEAD_ORDER")
    try check(DetectorDescription.BoxPoint.self, "BOX_POINT")
    try check(DetectorDescription.ClassTree.Choice.self, "TREE_CHOICE")
  }

  @Test("0 means missing, and a number beyond the last is unknown")
  func unknown() {
    let missing = TestFiles.failure { () throws(WeighbridgeError) in
      _ = try DetectorDescription.Part(schemaNumber: 0, "part of a box")
    }
    #expect(missing?.code == .malformed)
    for number: UInt32 in [4, .max] {
      let unknown = TestFiles.failure { () throws(WeighbridgeError) in
        _ = try DetectorDescription.Part(schemaNumber: number, "part of a box")
      }
      #expect(unknown?.code == .unsupported)
    }
  }
}
