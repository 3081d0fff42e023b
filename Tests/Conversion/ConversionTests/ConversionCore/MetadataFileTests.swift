import Bytes
import ConversionCore
import GraphIR
import JSON
import TestSupport
import Testing

@Suite struct MetadataFileTests {
  private func edit(_ text: String) throws -> DescriptionEdit {
    try DescriptionEdit(metadata: JSONValue(parsing: Array(text.utf8)))
  }

  @Test("Every member sets the corresponding field")
  func everything() throws {
    let edit = try edit(
      """
      {"name": "shapes", "author": "A", "license": "MIT", "version": "1.2", "description": "D",
       "inputs": [{"source": "input_1", "name": "image", "description": "an image",
         "image": {"color": "bgr", "scale": 0.5, "bias": [1, 2.5, -3], "resize": "center-crop"}}],
       "outputs": [{"name": "grid", "description": "cells"}],
       "labels": ["a", "b"], "userDefined": {"key": "value"},
       "detector": {"kind": "yolo", "anchors": [1, 2], "confidenceThreshold": 0.25,
         "overlapThreshold": 0.45}}
      """)
    #expect(edit.name == "shapes" && edit.author == "A" && edit.license == "MIT")
    #expect(edit.version == "1.2" && edit.summary == "D")
    #expect(edit.inputNames == [.init(old: "input_1", new: "image")])
    #expect(edit.inputSummaries == ["image": "an image"])
    #expect(edit.outputNames.isEmpty && edit.outputSummaries == ["grid": "cells"])
    #expect(edit.labels == ["a", "b"] && edit.userDefined == ["key": "value"])
    #expect(edit.images.map(\.colorOrder) == [.bgr] && edit.images.map(\.scale) == [0.5])
    #expect(edit.images.map(\.bias) == [[1, 2.5, -3]])
    #expect(edit.images.map(\.resize) == [.centerCrop])
    #expect(edit.detector?.kind == .yolo && edit.detector?.anchors == [1, 2])
    #expect(edit.detector?.confidenceThreshold == 0.25)
    #expect(edit.detector?.iouThreshold == 0.45)
  }

  @Test("A file without values changes nothing")
  func nothing() throws {
    let edit = try edit(#"{"name": null}"#)
    #expect(edit.name == nil && edit.labels == nil && edit.detector == nil && edit.images.isEmpty)
  }

  @Test(
    "A member that is not known, or of another type, is refused at its place",
    arguments: [
      (#"{"autor": "A"}"#, "/autor"),
      (#"{"name": 1}"#, "/name"),
      (#"{"labels": ["a", 2]}"#, "/labels"),
      (#"{"labels": "a"}"#, "/labels"),
      (#"{"inputs": [{"name": "x", "image": {"colour": "rgb"}}]}"#, "/inputs/0/image/colour"),
      (#"{"inputs": [{"name": "x", "image": {"color": "cmyk"}}]}"#, "/inputs/0/image/color"),
      (#"{"inputs": [{"description": "x"}]}"#, "/inputs/0/name"),
      (#"{"outputs": [{"name": "x", "image": {"resize": "stretch"}}]}"#, "/outputs/0/image/resize"),
      (#"{"detector": {"anchors": [1, 2]}}"#, "/detector/kind"),
      (#"{"detector": {"kind": "region", "anchors": ["1"]}}"#, "/detector/anchors"),
      (#"{"userDefined": {"key": 1}}"#, "/userDefined/key"),
      ("[]", "/"),
    ])
  func unknownMember(_ text: String, _ place: String) {
    let error = failure { _ = try edit(text) }
    #expect(error?.code == .mismatch)
    #expect(error?.place.position == .path(place))
  }
}
