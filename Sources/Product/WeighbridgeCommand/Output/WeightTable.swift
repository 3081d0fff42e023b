import TensorEncoding
import Weighbridge

/// A table of a model's encoded weights.
struct WeightTable {
  let text: String

  init(_ model: Model) {
    let errors = model.content.compaction?.weightErrors ?? [:]
    var table = Table(
      ["weight", "stored as", "elements", "bits each", "error"], rightAligned: [2, 3, 4])
    for weight in model.content.graph.weights {
      let tensor = weight.tensor
      guard let elements = tensor.encodedElements else { continue }
      let tenths = (80 * elements.byteCount + tensor.count / 2) / max(1, tensor.count)
      table.append([
        weight.name, elements.encoding.title, tensor.count.grouped, "\(tenths / 10).\(tenths % 10)",
        errors[weight.name].map(\.scientific) ?? "0",
      ])
    }
    text = table.text
  }
}
