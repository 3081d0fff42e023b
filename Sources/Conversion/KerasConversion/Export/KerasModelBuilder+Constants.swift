import Bytes
import GraphIR
import LayerCatalog

/// Constants among the arguments of TensorFlow's functions, which are numbers without a type.
extension KerasModelBuilder {
  /// The inputs of a function, of which TensorFlow gives each the type of the first: where that is a constant, float32, int32
  /// or bool, whatever follows. A constant of another type becomes a tensor with the elements of the constant.
  mutating func typed(
    _ inputs: [KerasValue], of function: KerasFunctionForm
  ) throws(WeighbridgeError) -> [KerasValue] {
    let position = function.operation == KerasFunctionForm.select.operation ? 1 : 0
    guard inputs.indices.contains(position), inputs[position].constant != nil,
      ![.float32, .int32, .bool].contains(inputs[position].type.elementType),
      let tensor = inputs.first(where: { $0.constant == nil })
    else { return inputs }
    let constant = inputs[position]
    let type = constant.type.elementType
    guard function.operation != KerasFunctionForm.matrixProduct.operation else {
      throw .unsupported(
        "multiplies a constant of \(type.rawValue) by a matrix, and Keras 2 takes float32 and int32 there"
      )
    }
    let isNever = try isNever(tensor)
    let zeros = try self.function(.cast, [isNever], to: type)
    let shape: TensorType
    do throws(ShapeError) {
      shape = try Where().outputTypes(of: [isNever.type, zeros.type, constant.type])[0]
    } catch {
      throw .malformed(error.reason)
    }
    var result = inputs
    result[position] = try self.function(.select, [isNever, zeros, constant], type: shape)
    return result
  }

  /// A tensor of the same shape that is false everywhere.
  private mutating func isNever(_ value: KerasValue) throws(WeighbridgeError) -> KerasValue {
    guard value.type.elementType == .bool else { return try compare(.greater, value, value) }
    return try function(.logicalAnd, [value, try function(.logicalNot, [value])])
  }
}
