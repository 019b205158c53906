"""The MATLAB program of the Wittenburg seed, line by line in NumPy: model.m, preproc.m, dqdtcw.m, Energy.m.

The course work does not print getForces.m and getTorques.m: here the forces are weights along -z, and there are
no torques.
Bodies and hinges are numbered from 0, as arrays are.
"""

from types import SimpleNamespace

import numpy as np

GRAVITY = 9.81
cross, eye = np.cross, np.eye(3)


def Ax(x):
    return np.array([[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]])


def Ay(x):
    return np.array([[np.cos(x), 0, np.sin(x)], [0, 1, 0], [-np.sin(x), 0, np.cos(x)]])


def Az(x):
    return np.array([[np.cos(x), -np.sin(x), 0], [np.sin(x), np.cos(x), 0], [0, 0, 1]])


def euler(q):
    return Az(q[0]) @ Ax(q[1]) @ Az(q[2])


def euler_axes(q):
    return np.column_stack([euler(q).T @ [0, 0, 1], euler([0, q[1], q[2]]).T @ [1, 0, 0], [0, 0, 1]])


def euler_rest(q, dq):
    """p.pw, eqs. (15) and (16)."""
    (_, s2, s3), (_, c2, c3) = np.sin(q), np.cos(q)
    return np.array([
        s3 * dq[1] * (c2 * dq[0] - dq[2]) + c3 * s2 * dq[0] * dq[2],
        c3 * dq[1] * (c2 * dq[0] - dq[2]) - s3 * s2 * dq[0] * dq[2],
        -s2 * dq[1] * dq[0],
    ])  # fmt: skip


def fixed(axis):
    return lambda _: np.array([axis], dtype=float).T


def model():
    """model.m."""
    p = SimpleNamespace(n=5, na=[3, 3, 1, 1, 1], mass=np.array([3, 3, 2, 1.5, 1.5]))
    p.S = np.array([[-1, 1, 0, 0, 0], [0, -1, 1, 0, 0], [0, 0, -1, 1, 1], [0, 0, 0, -1, 0], [0, 0, 0, 0, -1]])
    p.C = np.zeros((3, 5, 5))
    p.C[:, 0, 0], p.C[:, 0, 1] = [0, 0, 1], [0, 0, -1]
    p.C[:, 1, 2], p.C[:, 1, 1] = [0, 0, -1], [0, 0, 1]
    p.C[:, 2, 2], p.C[:, 2, 3], p.C[:, 2, 4] = [0, 0, 1], [0.5, 0, 0], [-0.5, 0, 0]
    p.C[:, 3, 3], p.C[:, 4, 4] = [0, 0, 0.5], [0, 0, 0.5]
    tensors = [[4 / 3, 4 / 3, 0.6 * 4 / 2], [4 / 3, 4 / 3, 0.6 * 4 / 3], [1 / 6, 5 / 24, 1 / 24]]
    tensors += [[1 / 3, 1 / 3, 0.6 * 1 / 3]] * 2
    p.I = np.stack([m * np.diag(tensor) for m, tensor in zip(p.mass, tensors, strict=True)], axis=2)
    p.A = [euler, euler, lambda q: Az(q[0]), lambda q: Ay(q[0]), lambda q: Ay(q[0])]
    p.p = [euler_axes, euler_axes, fixed([0, 0, 1]), fixed([0, 1, 0]), fixed([0, 1, 0])]
    p.pw = [euler_rest, euler_rest, *[lambda q, dq: np.zeros(3)] * 3]
    return preproc(p)


def preproc(p):
    """preproc.m."""
    p.N = sum(p.na)
    p.iq = np.cumsum([0, *p.na])
    p.T = np.linalg.inv(p.S)
    p.d = np.einsum("ai,ja,xja->xji", p.T, p.S, p.C)
    p.b = np.einsum("xij,j->xi", p.d, p.mass) / sum(p.mass)
    p.Kii = p.I + 0
    for i in range(p.n):
        for k in range(p.n):
            d = p.d[:, i, k]
            p.Kii[:, :, i] += p.mass[k] * (d @ d * eye - np.outer(d, d))
    return p


def rotations(p, q):
    A0i = [eye] * p.n
    for i in range(p.n):
        for a in range(i, -1, -1):
            if p.T[a, i] != 0:
                A0i[i] = p.A[a](q[p.iq[a] : p.iq[a + 1]]) @ A0i[i]
    return A0i


def matrices(p, q, dq, *, printed):
    """dqdtcw.m up to A and B; ``printed=False`` corrects the one line that is wrong."""
    phi, dphi = ([x[p.iq[i] : p.iq[i + 1]] for i in range(p.n)] for x in (q, dq))
    bodies, mass, A0i = range(p.n), sum(p.mass), rotations(p, q)
    force = [np.array([0, 0, -GRAVITY * m]) for m in p.mass]
    Wr = [A0i[i] @ p.p[i](phi[i]) @ dphi[i] for i in bodies]
    w = [-sum(p.T[j, i] * Wr[j] for j in bodies) for i in bodies]
    b = [A0i[i] @ p.b[:, i] for i in bodies]
    d = {(i, j): A0i[i] @ p.d[:, i, j] for i in bodies for j in bodies}
    K = np.zeros((3, 3, p.n, p.n))
    for i in bodies:
        for j in bodies:
            if i == j:
                K[:, :, i, j] = A0i[i] @ p.Kii[:, :, i] @ A0i[i].T
            elif p.T[i, j] != 0:
                K[:, :, i, j] = mass * (b[j] @ d[i, j] * eye - np.outer(b[j], d[i, j]))
            elif p.T[j, i] != 0:
                K[:, :, i, j] = mass * (d[j, i] @ b[i] * eye - np.outer(d[j, i], b[i]))
    axes = [(ib, axis) for ib in bodies for axis in (A0i[ib] @ p.p[ib](phi[ib])).T]
    pT = np.array([[axis * p.T[ib, k] for k in bodies] for ib, axis in axes])
    pTK = np.einsum("ikx,xykj->ijy", pT, K)
    A = np.einsum("iky,jky->ij", pTK, pT)
    Mp = []
    for i in bodies:
        total = -cross(w[i], K[:, :, i, i] @ w[i])
        for j in bodies:
            if p.T[i, j] != 0 and i != j:
                total = total - mass * cross(d[i, j], cross(w[j], cross(w[j], b[j])))
            if p.T[i, j] != 0:
                total = total - cross(d[i, j], force[j])
            if p.T[j, i] != 0 and i != j:
                total = total - mass * cross(b[i], cross(w[j], cross(w[j], d[j, i])))
        Mp.append(total)
    pTMpM = -np.einsum("ijx,jx->i", pT, np.array(Mp))
    f = [cross(w[i], Wr[i]) + A0i[i] @ p.pw[i](phi[i], dphi[i]) for i in bodies]
    if printed:
        TTf = [sum(p.T[i, i] * f[i] for _ in bodies) for i in bodies]
    else:
        TTf = [sum(p.T[j, i] * f[j] for j in bodies) for i in bodies]
    pTKTTf = -np.einsum("ijx,jx->i", pTK, np.array(TTf))
    return SimpleNamespace(A=A, B=pTKTTf + pTMpM, K=K)


def dqdtcw(p, state, *, printed):
    """The right-hand side of the differential equation."""
    q, dq = state[: p.N], state[p.N :]
    m = matrices(p, q, dq, printed=printed)
    return np.concatenate([dq, np.linalg.solve(m.A, m.B)])


def energy(p, state):
    """Energy.m; the potential energy, whose end is lost in print, is that of the heights h1 … h5."""
    q, dq = state[: p.N], state[p.N :]
    bodies, A0i = range(p.n), rotations(p, q)
    Wr = [A0i[i] @ p.p[i](q[p.iq[i] : p.iq[i + 1]]) @ dq[p.iq[i] : p.iq[i + 1]] for i in bodies]
    total = 0.0
    for i in bodies:
        way = [j for j in bodies if p.T[j, i] != 0]
        w = {j: sum(Wr[k] for k in bodies if p.T[k, j] != 0) for j in way}
        v = sum(cross(w[j], -A0i[j] @ p.d[:, j, i]) for j in way)
        h = sum(-A0i[j] @ p.d[:, j, i] for j in way)
        total += w[i] @ A0i[i] @ p.I[:, :, i] @ A0i[i].T @ w[i] / 2 + p.mass[i] * (v @ v / 2 + GRAVITY * h[2])
    return total
