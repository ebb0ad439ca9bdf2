// The code of a kernel, included once for each instruction set after its floats_*.inl. A vector has 16 floats.

constexpr std::uint32_t kVector = NetworkShape::kVector;

// e^x for x in -87 .. 88, limited to this range. 2^r e^f with |f| <= ln(2) / 2; the series has a relative error of 3e-6.
Floats exponential(Floats x) {
  x = larger(smaller(x, all(88.0f)), all(-87.0f));
  const Floats r = nearest(multiply(x, all(1.44269504f)));
  const Floats f = fused(r, all(-0.693147181f), x);
  Floats p = all(1.0f / 120);
  p = fused(p, f, all(1.0f / 24));
  p = fused(p, f, all(1.0f / 6));
  p = fused(p, f, all(0.5f));
  p = fused(p, f, all(1.0f));
  p = fused(p, f, all(1.0f));
  return scaled(p, r);
}

// tanh(x) = 1 - 2 / (e^2x + 1)
Floats hyperbolic_tangent(Floats x) {
  const Floats one = all(1.0f);
  return subtract(one, divide(all(2.0f), add(exponential(add(x, x)), one)));
}

// out = bias + the sum of the rows of a matrix, kVectors vectors of each; negative sums become 0 if `relu`.
template <int kVectors>
void sum_part(const float* matrix, std::size_t stride, const float* bias, const FeatureRow& row, float* out, bool relu) {
  Floats sums[kVectors];
  for (int j = 0; j < kVectors; ++j) sums[j] = load(bias + kVector * j);
  for (std::uint32_t i = 0; i < row.count; ++i) {
    const float* from = matrix + row.features[i] * stride;
    for (int j = 0; j < kVectors; ++j) sums[j] = add(sums[j], load(from + kVector * j));
  }
  for (int j = 0; j < kVectors; ++j) store(out + kVector * j, relu ? larger(sums[j], all(0.0f)) : sums[j]);
}

// Calls sum_part() for the last vectors of a row at once: parts of one vector would wait for each sum.
template <int kVectors>
void sum_rest(const float* matrix, std::size_t stride, const float* bias, const FeatureRow& row, float* out, bool relu,
              std::size_t vectors) {
  if constexpr (kVectors > 0) {
    if (vectors == kVectors) return sum_part<kVectors>(matrix, stride, bias, row, out, relu);
    sum_rest<kVectors - 1>(matrix, stride, bias, row, out, relu, vectors);
  }
}

void sum_rows(const float* matrix, std::size_t stride, const float* bias, const FeatureRow& row, float* out, bool relu) {
  std::size_t at = 0;
  for (; at + kRow * kVector <= stride; at += kRow * kVector)
    sum_part<kRow>(matrix + at, stride, bias + at, row, out + at, relu);
  sum_rest<kRow - 1>(matrix + at, stride, bias + at, row, out + at, relu, (stride - at) / kVector);
}

// h2 = relu(b2 + h1 W2) for some states, in kVectors vectors from `column` on.
template <int kVectors, int kStates>
void second_layer_tile(const LearnedNetwork& network, const float* h1, std::uint32_t column, float* h2) {
  const std::uint32_t width1 = network.shape().hidden1, width2 = network.shape().hidden2;
  const float* bias = network.at(network.layout().b2) + column;
  const float* matrix = network.at(network.layout().w2) + column;
  Floats sums[kStates][kVectors];
  for (int s = 0; s < kStates; ++s)
    for (int j = 0; j < kVectors; ++j) sums[s][j] = load(bias + kVector * j);
  for (std::uint32_t k = 0; k < width1; ++k) {
    Floats row[kVectors];
    for (int j = 0; j < kVectors; ++j) row[j] = load(matrix + std::size_t(k) * width2 + kVector * j);
    for (int s = 0; s < kStates; ++s) {
      const Floats unit = all(h1[std::size_t(s) * width1 + k]);
      for (int j = 0; j < kVectors; ++j) sums[s][j] = fused(unit, row[j], sums[s][j]);
    }
  }
  for (int s = 0; s < kStates; ++s)
    for (int j = 0; j < kVectors; ++j)
      store(h2 + std::size_t(s) * width2 + column + kVector * j, larger(sums[s][j], all(0.0f)));
}

template <int kVectors, int kStates>
void second_layer_tiles(const LearnedNetwork& network, const float* h1, int count, float* h2) {
  constexpr int kColumns = kVectors < kTileVectors ? kVectors : kTileVectors;
  const std::uint32_t width1 = network.shape().hidden1, width2 = network.shape().hidden2;
  for (int s = 0; s < count; s += kStates)
    for (int j = 0; j < kVectors; j += kColumns)
      second_layer_tile<kColumns, kStates>(network, h1 + std::size_t(s) * width1, kVector * j,
                                           h2 + std::size_t(s) * width2);
}

template <int kVectors>
void second_layer(const LearnedNetwork& network, const float* h1, int count, float* h2) {
  if (count == 1) return second_layer_tiles<kVectors, 1>(network, h1, 1, h2);
  second_layer_tiles<kVectors, kTileStates<kVectors>>(network, h1, count, h2);
}

// Calls use(the number of vectors of the second layer, known to the compiler).
template <class Use>
void for_width(std::uint32_t hidden2, Use use) {
  switch (hidden2) {
    case 16: return use(std::integral_constant<int, 1>());
    case 32: return use(std::integral_constant<int, 2>());
    case 64: return use(std::integral_constant<int, 4>());
    default: return use(std::integral_constant<int, 8>());
  }
}

float dot(const float* a, const float* b, std::uint32_t count) {
  Floats sums = all(0.0f);
  for (std::uint32_t i = 0; i < count; i += kVector) sums = fused(load(a + i), load(b + i), sums);
  return sum(sums);
}

void write_values(const LearnedNetwork& network, const FeatureRow& row, const float* h2, float* values) {
  const NetworkShape& shape = network.shape();
  const NetworkLayout& layout = network.layout();
  for (std::uint32_t k = 0; k < shape.values; ++k) {
    const float* direct = network.at(layout.sv) + std::size_t(k) * shape.features;
    float value = network.at(layout.bv)[k] + dot(network.at(layout.wv) + std::size_t(k) * shape.hidden2, h2, shape.hidden2);
    for (std::uint32_t i = 0; i < row.count; ++i) value += direct[row.features[i]];
    values[k] = value;
  }
}

void take_tangents(float* values, std::size_t count) {
  alignas(64) float part[kVector];
  for (std::size_t at = 0; at < count; at += kVector) {
    const std::size_t here = std::min<std::size_t>(kVector, count - at);
    std::fill_n(part, kVector, 0.0f);
    std::copy_n(values + at, here, part);
    store(part, hyperbolic_tangent(load(part)));
    std::copy_n(part, here, values + at);
  }
}

void hidden(const LearnedNetwork& network, const FeatureRow* rows, int count, float* h1, float* h2, float* values) {
  const NetworkShape& shape = network.shape();
  const NetworkLayout& layout = network.layout();
  for (int i = 0; i < count; ++i)
    sum_rows(network.at(layout.w1), shape.hidden1, network.at(layout.b1), rows[i], h1 + std::size_t(i) * shape.hidden1,
             true);
  for_width(shape.hidden2, [&](auto vectors) { second_layer<vectors()>(network, h1, count, h2); });
  for (int i = 0; i < count; ++i)
    write_values(network, rows[i], h2 + std::size_t(i) * shape.hidden2, values + std::size_t(i) * shape.values);
  take_tangents(values, std::size_t(count) * shape.values);
}

void base(const LearnedNetwork& network, const FeatureRow& row, float* out) {
  const NetworkShape& shape = network.shape();
  const float* bias = network.at(network.layout().bp);
  if (!shape.direct_policy) {
    std::copy_n(bias, shape.padded_policies(), out);
    return;
  }
  sum_rows(network.at(network.layout().s), shape.padded_policies(), bias, row, out, false);
}

void probabilities(const LearnedNetwork& network, const float* h2, const float* base, const std::uint16_t* policies,
                   std::uint32_t count, float* out) {
  const std::uint32_t width2 = network.shape().hidden2;
  const float* matrix = network.at(network.layout().wp);
  const std::uint32_t padded = (count + kVector - 1) / kVector * kVector;
  for (std::uint32_t i = 0; i < count; ++i)
    out[i] = base[policies[i]] + dot(matrix + std::size_t(policies[i]) * width2, h2, width2);
  constexpr float kNothing = -1e30f;  // its exponential vanishes beside the greatest one, which is 1
  std::fill(out + count, out + padded, kNothing);
  Floats greatest = all(kNothing);
  for (std::uint32_t i = 0; i < padded; i += kVector) greatest = larger(greatest, load(out + i));
  const Floats top = all(maximum(greatest));
  Floats sums = all(0.0f);
  for (std::uint32_t i = 0; i < padded; i += kVector) {
    const Floats power = exponential(subtract(load(out + i), top));
    sums = add(sums, power);
    store(out + i, power);
  }
  const Floats total = all(sum(sums));
  for (std::uint32_t i = 0; i < padded; i += kVector) store(out + i, divide(load(out + i), total));
}

// Adds `factor` times a vector to another one.
void add_scaled(float* to, float factor, const float* from, std::uint32_t count) {
  const Floats by = all(factor);
  for (std::uint32_t i = 0; i < count; i += kVector) store(to + i, fused(by, load(from + i), load(to + i)));
}

void add_vector(float* to, const float* from, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; i += kVector) store(to + i, add(load(to + i), load(from + i)));
}

// Learns the policies of one group; room.d2 receives the derivatives of h2.
void learn_group(const LearnedNetwork& network, const Sample& sample, std::uint32_t from, std::uint32_t end, float scale,
                 float* gradient, Workspace& room, Loss& loss) {
  const NetworkLayout& layout = network.layout();
  const std::uint32_t width2 = network.shape().hidden2, count = end - from;
  const std::uint16_t* policies = sample.policies + from;
  const float* targets = sample.targets + from;
  float* found = room.group.data();
  probabilities(network, room.h2.data(), room.base.data(), policies, count, found);
  for (std::uint32_t i = 0; i < count; ++i)
    if (targets[i] > 0) loss.divergence += targets[i] * std::log(targets[i] / std::max(found[i], 1e-9f));
  ++loss.groups;
  if (scale == 0) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t policy = policies[i];
    const float change = (found[i] - targets[i]) * scale;
    gradient[layout.bp + policy] += change;
    room.of_policies[policy] += change;
    add_scaled(room.d2.data(), change, network.at(layout.wp) + policy * width2, width2);
    add_scaled(gradient + layout.wp + policy * width2, change, room.h2.data(), width2);
  }
}

void learn_policies(const LearnedNetwork& network, const Sample& sample, float scale, float* gradient, Workspace& room,
                    Loss& loss) {
  const NetworkShape& shape = network.shape();
  const std::uint32_t padded = shape.padded_policies();
  base(network, sample.row, room.base.data());
  std::uint32_t from = 0;
  for (std::uint32_t group = 0; group < sample.groups; ++group) {
    const std::uint32_t end = sample.group_ends[group];
    if (room.group.size() < end - from + kVector) room.group = AlignedFloats(2 * std::size_t(end - from) + kVector);
    learn_group(network, sample, from, end, scale, gradient, room, loss);
    from = end;
  }
  if (scale == 0) return;
  if (shape.direct_policy)
    for (std::uint32_t i = 0; i < sample.row.count; ++i)
      add_vector(gradient + network.layout().s + std::size_t(sample.row.features[i]) * padded, room.of_policies.data(),
                 padded);
  for (std::uint32_t i = 0; i < from; ++i) room.of_policies[sample.policies[i]] = 0;
}

// Passes the derivatives of h2, room.d2, on to the weights and biases of both hidden layers.
void learn_layers(const LearnedNetwork& network, const FeatureRow& row, float* gradient, Workspace& room) {
  const NetworkLayout& layout = network.layout();
  const std::uint32_t width1 = network.shape().hidden1, width2 = network.shape().hidden2;
  float *d1 = room.d1.data(), *d2 = room.d2.data();
  for (std::uint32_t j = 0; j < width2; j += kVector)
    store(d2 + j, where_positive(load(room.h2.data() + j), load(d2 + j)));
  add_vector(gradient + layout.b2, d2, width2);
  for (std::uint32_t k = 0; k < width1; ++k) {
    const float unit = room.h1[k];
    d1[k] = 0;
    if (unit <= 0) continue;
    d1[k] = dot(d2, network.at(layout.w2) + std::size_t(k) * width2, width2);
    add_scaled(gradient + layout.w2 + std::size_t(k) * width2, unit, d2, width2);
  }
  add_vector(gradient + layout.b1, d1, width1);
  for (std::uint32_t i = 0; i < row.count; ++i)
    add_vector(gradient + layout.w1 + std::size_t(row.features[i]) * width1, d1, width1);
}

void learn(const LearnedNetwork& network, const Sample& sample, float scale, float* gradient, Workspace& room,
           Loss& loss) {
  const NetworkShape& shape = network.shape();
  const NetworkLayout& layout = network.layout();
  alignas(64) float values[NetworkShape::kMostValues];
  sum_rows(network.at(layout.w1), shape.hidden1, network.at(layout.b1), sample.row, room.h1.data(), true);
  for_width(shape.hidden2, [&](auto vectors) { second_layer<vectors()>(network, room.h1.data(), 1, room.h2.data()); });
  write_values(network, sample.row, room.h2.data(), values);
  take_tangents(values, shape.values);
  std::fill_n(room.d2.data(), shape.hidden2, 0.0f);
  ++loss.samples;
  for (std::uint32_t k = 0; k < shape.values; ++k) {
    const float error = values[k] - sample.values[k];
    loss.squared_error += double(error) * error;
    if (scale == 0) continue;
    // The derivative of tanh would be a factor 1 - v^2; without it, outputs that are wrong and near 1 or -1 learn, too:
    // the loss is then the cross entropy of (1 + v) / 2, up to a factor.
    const float change = error * scale;
    const float* row = network.at(layout.wv) + std::size_t(k) * shape.hidden2;
    add_scaled(room.d2.data(), change, row, shape.hidden2);
    add_scaled(gradient + layout.wv + std::size_t(k) * shape.hidden2, change, room.h2.data(), shape.hidden2);
    gradient[layout.bv + k] += change;
    for (std::uint32_t i = 0; i < sample.row.count; ++i)
      gradient[layout.sv + std::size_t(k) * shape.features + sample.row.features[i]] += change;
  }
  if (sample.groups > 0) learn_policies(network, sample, scale, gradient, room, loss);
  if (scale != 0) learn_layers(network, sample.row, gradient, room);
}

void step(const AdamStep& by, std::size_t count, float* weights, float* gradient, float* mean, float* square,
          float* average) {
  const Floats new_mean = all(0.1f), new_square = all(0.001f), least = all(1e-8f);
  for (std::size_t i = 0; i < count; i += kVector) {
    const Floats g = load(gradient + i);
    const Floats m = fused(new_mean, subtract(g, load(mean + i)), load(mean + i));
    const Floats before = load(square + i);
    const Floats v = fused(new_square, subtract(multiply(g, g), before), before);
    const Floats w = load(weights + i);
    const Floats size = add(root(multiply(v, all(by.correct2))), least);
    const Floats change = fused(all(by.decay), w, divide(multiply(m, all(by.correct1)), size));
    const Floats changed = fused(all(-by.rate), change, w);
    const Floats known = load(average + i);
    store(mean + i, m);
    store(square + i, v);
    store(weights + i, changed);
    store(average + i, fused(all(by.average), subtract(changed, known), known));
    store(gradient + i, all(0.0f));
  }
}
