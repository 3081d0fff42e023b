import Bytes
import CWBM
import ProtobufWire

extension WBMCompaction {
  func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Compaction> {
    let message = arena.message(weighbridge__v1__compaction__init)
    message.pointee.by = try arena.text(by)
    message.pointee.request = try arena.text(request)
    message.pointee.inputs = try arena.text(inputs)
    message.pointee.input_count = try SchemaNumber.of(inputCount, "the number of inputs")
    message.pointee.original_byte_count = try SchemaNumber.of(
      originalByteCount, "the size of the weights")
    message.pointee.n_outputs = outputs.count
    message.pointee.outputs = try arena.list(outputs) { (loss) throws(WeighbridgeError) in
      try loss.packed(in: arena)
    }
    message.pointee.n_weights = weights.count
    message.pointee.weights = try arena.list(weights) { (loss) throws(WeighbridgeError) in
      try loss.packed(in: arena)
    }
    message.pointee.answers = try answers?.packed(in: arena)
    arena.keep(unknownFields, in: &message.pointee.base)
    return message
  }

  init(_ message: Weighbridge__V1__Compaction) throws(WeighbridgeError) {
    self.init(
      by: MessageParts.text(message.by), request: MessageParts.text(message.request),
      inputs: MessageParts.text(message.inputs), inputCount: Int(message.input_count),
      originalByteCount: try Checked.count(
        message.original_byte_count, of: "the size of the weights"),
      outputs: try MessageParts.list(message.n_outputs, message.outputs, OutputLoss.init),
      weights: try MessageParts.list(message.n_weights, message.weights, WeightLoss.init),
      answers: try message.answers.map { (answers) throws(WeighbridgeError) in
        try Answers(answers.pointee)
      })
    unknownFields = MessageParts.unknownFields(message.base)
  }
}

extension WBMCompaction.OutputLoss {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__OutputLoss> {
    let message = arena.message(weighbridge__v1__output_loss__init)
    message.pointee.output = try arena.text(output)
    message.pointee.worst = worst
    message.pointee.mean = mean
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__OutputLoss) throws(WeighbridgeError) {
    self.init(
      output: MessageParts.text(message.output), worst: message.worst, mean: message.mean)
  }
}

extension WBMCompaction.WeightLoss {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__WeightLoss> {
    let message = arena.message(weighbridge__v1__weight_loss__init)
    message.pointee.tensor = try SchemaNumber.of(tensor, "a tensor's position")
    message.pointee.error = error
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__WeightLoss) throws(WeighbridgeError) {
    self.init(tensor: Int(message.tensor), error: message.error)
  }
}

extension WBMCompaction.Answers {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__KeptAnswers> {
    let message = arena.message(weighbridge__v1__kept_answers__init)
    message.pointee.kind = .init(kind.schemaNumber)
    message.pointee.kept = try SchemaNumber.of(kept, "a number of answers")
    message.pointee.total = try SchemaNumber.of(total, "a number of answers")
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__KeptAnswers) throws(WeighbridgeError) {
    self.init(
      kind: try Kind(schemaNumber: message.kind.rawValue),
      kept: try Checked.count(message.kept, of: "a number of answers"),
      total: try Checked.count(message.total, of: "a number of answers"))
  }
}
