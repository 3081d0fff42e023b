package import Bytes
package import GraphIR

extension ModelContent {
  /// Fills in a detector whose outputs are decoded boxes: confidences `[boxes, classes]` and
  /// coordinates `[boxes, 4]`.
  package func fillBoxes(
    _ fields: inout DescriptionEdit.DetectorEdit
  ) throws(WeighbridgeError) {
    guard fields.anchors.isEmpty, fields.side == nil, fields.boxesPerCell == nil,
      fields.classTree == nil, fields.hasObjectness != true, fields.hasBackground != true,
      fields.order == nil
    else {
      throw .mismatch(
        "a boxes detector has no anchors, cells, objectness, background, order or class tree")
    }
    let outputs = graph.outputs.map(\.name)
    let heads = fields.heads ?? outputs.map { .init(output: $0, mask: [], stride: nil, scaleXY: 1) }
    guard heads.count == 2, heads.allSatisfy(\.mask.isEmpty) else {
      throw .mismatch(
        "a boxes detector has two heads without masks, the confidences and the coordinates, and "
          + "\(heads.count) are given")
    }
    let types = try heads.map { (head) throws(WeighbridgeError) in
      let position = try Self.position(of: head.output, in: outputs, what: "output")
      return graph[graph.outputs[position].value].type
    }
    guard types.allSatisfy({ $0.rank == 2 }), let count = types[0].shape[1].value,
      (fields.classCount ?? count) == count, types[1].shape[1] == 4,
      types[0].shape[0].agrees(with: types[1].shape[0])
    else {
      throw .mismatch(
        "the outputs \(heads[0].output) and \(heads[1].output) are \(types[0]) and \(types[1]), "
          + "expected [boxes, \(fields.classCount?.description ?? "classes")] and [boxes, 4]")
    }
    (fields.heads, fields.classCount) = (heads, count)
    fields.boxEncoding = fields.boxEncoding ?? .fraction
  }
}
